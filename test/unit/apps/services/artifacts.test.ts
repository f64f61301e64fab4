import { afterEach, expect, test } from 'vitest';
import { createArtifacts } from '../../../../lib/apps/services/artifacts.ts';
import { type AwsStub, startAwsStub } from '../../../support/aws-stub.ts';
import { createTestClock } from '../../../support/test-clock.ts';

const clock = createTestClock();
let stub: AwsStub | undefined;

afterEach(() => stub?.close());

const open = (client: object) => createArtifacts({ bucket: 'artifacts', clock, client });

test('an upload is signed for its host, time and operation, and for no header that curl does not send', async () => {
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'session' };
  const upload = await open({ region: 'eu-west-1', credentials }).createUpload('shop', 'art_1');
  const { protocol, host, pathname, searchParams } = new URL(upload.url);
  expect(`${protocol}//${host}${pathname}`).toBe('https://artifacts.s3.eu-west-1.amazonaws.com/apps/shop/art_1.zip');
  expect(Object.fromEntries(searchParams)).toMatchObject({
    'X-Amz-Date': '20260101T000000Z',
    'X-Amz-Expires': '900',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Security-Token': 'session',
    'x-id': 'PutObject',
  });
  expect(upload.url).not.toMatch(/checksum|crc32|secret\b/i);
  expect(upload).toMatchObject({ method: 'PUT', headers: { 'content-type': 'application/zip' } });
  expect(upload.expiresAt).toBe(clock.now() + 900_000);
});

test.each([
  [404, undefined],
  [403, 'permission_denied'],
  [400, 'invalid'],
  [503, 'unavailable'],
])('a look that S3 answers with %d is %s', async (status, code) => {
  stub = await startAwsStub(() => ({ status }));
  const artifacts = open(stub.client);
  const found = await artifacts.find('shop', 'art_1').catch((error) => error.code);
  expect(found).toBe(code);
  expect(await artifacts.exists('shop', 'art_1', 'v').catch((error) => error.code)).toBe(code ?? false);
});

test('a package in a bucket without versions is refused: its code could change', async () => {
  stub = await startAwsStub(() => ({}));
  await expect(open(stub.client).find('shop', 'art_1')).rejects.toMatchObject({
    name: 'RuntimeError',
    code: 'invalid',
  });
});

test.each([
  ['AccessDenied', 'permission_denied'],
  ['InternalError', 'unavailable'],
])('a version that S3 does not delete for %s is a failure, though the call succeeds', async (reason, code) => {
  const version = '<Version><Key>apps/shop/a.zip</Key><VersionId>1</VersionId></Version>';
  stub = await startAwsStub((call) => ({
    body:
      call === 1
        ? `<ListVersionsResult><IsTruncated>false</IsTruncated>${version}</ListVersionsResult>`
        : `<DeleteResult><Error><Key>apps/shop/a.zip</Key><Code>${reason}</Code></Error></DeleteResult>`,
  }));
  const text = expect.stringContaining(`1 of 1 versions below apps/shop/ (${reason})`);
  await expect(open(stub.client).removeAll('shop')).rejects.toMatchObject({
    name: 'RuntimeError',
    code,
    message: text,
  });
});

test('every page of versions is deleted, from where the page before ended', async () => {
  const page = (key: string, more: string) =>
    `<ListVersionsResult>${more}<Version><Key>apps/shop/${key}.zip</Key><VersionId>1</VersionId></Version></ListVersionsResult>`;
  const urls: string[] = [];
  stub = await startAwsStub((call, { url = '' }) => {
    urls.push(url);
    if (call === 1)
      return {
        body: page(
          'a',
          '<IsTruncated>true</IsTruncated><NextKeyMarker>K</NextKeyMarker><NextVersionIdMarker>V</NextVersionIdMarker>',
        ),
      };
    return { body: call === 3 ? page('b', '<IsTruncated>false</IsTruncated>') : '<DeleteResult/>' };
  });
  await open(stub.client).removeAll('shop');
  expect(urls.map((url) => url.includes('delete'))).toEqual([false, true, false, true]);
  expect(urls[2]).toMatch(/key-marker=K&.*version-id-marker=V|version-id-marker=V&.*key-marker=K/);
  expect(stub.calls[1]).toContain('apps/shop/a.zip');
  expect(stub.calls[3]).toContain('apps/shop/b.zip');
});
