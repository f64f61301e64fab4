import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  DeleteLogGroupCommand,
  DescribeLogGroupsCommand,
  PutRetentionPolicyCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  DeleteParametersCommand,
  GetParametersByPathCommand,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLogGroups } from '../../../lib/apps/runtime/log-groups.ts';
import { createAppLogs } from '../../../lib/apps/services/app-logs.ts';
import { createAppMetrics } from '../../../lib/apps/services/app-metrics.ts';
import { createArtifacts } from '../../../lib/apps/services/artifacts.ts';
import { createSecretValues } from '../../../lib/apps/services/secret-values.ts';
import { type AwsEmulatorForTest, BUCKET, startAwsEmulatorForTest } from '../../support/aws-emulator.ts';
import { plainPut } from '../../support/plain-put.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

let clock: TestClock;
let dir: string;
let emulator: AwsEmulatorForTest;

beforeEach(async () => {
  clock = createTestClock();
  dir = mkdtempSync(join(tmpdir(), 'roundhouse-aws-test-'));
  emulator = await startAwsEmulatorForTest({ clock, dir });
  return async () => {
    await emulator.close();
    rmSync(dir, { recursive: true });
  };
});

afterEach(() => expect(emulator.faults).toEqual([]));

async function restart(): Promise<void> {
  await emulator.close();
  emulator = await startAwsEmulatorForTest({ clock, dir });
}

describe('packages', () => {
  const artifacts = () => createArtifacts({ bucket: BUCKET, clock, client: emulator.client });
  const s3 = () => new S3Client({ ...emulator.client, forcePathStyle: true });
  const upload = async (artifact: string, body: string) => {
    const { url } = await artifacts().createUpload('shop', artifact);
    expect(await plainPut(url, body)).toEqual({ status: 200, body: '' });
    return (await artifacts().find('shop', artifact))?.versionId ?? '';
  };
  const code = async (url: string, init: Parameters<typeof fetch>[1] = {}) => {
    const response = await fetch(url, init);
    return `${response.status} ${/<Code>(\w+)</.exec(await response.text())?.[1]}`;
  };

  test('an upload is what the Lambda emulator reads, version by version', async () => {
    const first = await upload('art_1', 'one');
    const second = await upload('art_1', 'two');
    const read = async (versionId?: string) => {
      const name = { bucket: BUCKET, key: 'apps/shop/art_1.zip', ...(versionId !== undefined && { versionId }) };
      const bytes = await emulator.readObject(name);
      return bytes && Buffer.from(bytes).toString();
    };
    expect([await read(first), await read(second), await read()]).toEqual(['one', 'two', 'two']);
    expect(await read('unknown')).toBeUndefined();
    expect(await emulator.readObject({ bucket: 'other', key: 'apps/shop/art_1.zip' })).toBeUndefined();
  });

  test('curl uploads a file with the URL alone', async () => {
    const { url } = await artifacts().createUpload('shop', 'art_1');
    await promisify(execFile)('curl', ['-sSf', '-T', join(import.meta.dirname, 'aws-emulator.test.ts'), url]);
    expect(await artifacts().find('shop', 'art_1')).toMatchObject({ bytes: statSync(import.meta.filename).size });
  });

  test('an upload with the headers that come with the URL is one too', async () => {
    const { url, method, headers } = await artifacts().createUpload('shop', 'art_1');
    expect((await fetch(url, { method, headers, body: 'zip' })).status).toBe(200);
    const found = await s3().send(new HeadObjectCommand({ Bucket: BUCKET, Key: 'apps/shop/art_1.zip' }));
    expect(found.ContentType).toBe('application/zip');
  });

  test('a URL is good to its last second, and not longer', async () => {
    const { url, expiresAt } = await artifacts().createUpload('shop', 'art_1');
    expect(expiresAt - clock.now()).toBe(900_000);
    await clock.advance(900_000);
    expect(await plainPut(url, 'in time')).toMatchObject({ status: 200 });
    await clock.advance(1);
    const late = await plainPut(url, 'too late');
    expect(late).toEqual({ status: 403, body: expect.stringContaining('<Message>Request has expired</Message>') });
    expect(await artifacts().find('shop', 'art_1')).toMatchObject({ bytes: 7 });
  });

  test.each([
    ['no signature', (url: string) => url.replace(/\?.*/, ''), 'PUT', '403 AccessDenied'],
    ['another operation than the one it was signed for', (url: string) => url, 'GET', '403 SignatureDoesNotMatch'],
    [
      'a time that is none',
      (url: string) => url.replace(/X-Amz-Date=\w+/, 'X-Amz-Date=now'),
      'PUT',
      '400 AuthorizationQueryParametersError',
    ],
    [
      'an end after more than a week',
      (url: string) => url.replace('Expires=900', 'Expires=604801'),
      'PUT',
      '400 AuthorizationQueryParametersError',
    ],
    ['a bucket that is not there', (url: string) => url.replace(`/${BUCKET}/`, '/other/'), 'PUT', '404 NoSuchBucket'],
  ])('a URL with %s is refused', async (_what, change, method, expected) => {
    const { url } = await artifacts().createUpload('shop', 'art_1');
    expect(await code(change(url), { method, ...(method === 'PUT' && { body: 'x' }) })).toBe(expected);
    expect(await artifacts().find('shop', 'art_1')).toBeUndefined();
  });

  test('a body without a length is refused, as S3 does', async () => {
    const { url } = await artifacts().createUpload('shop', 'art_1');
    const init = { method: 'PUT', body: new Blob(['x']).stream(), duplex: 'half' };
    expect(await code(url, init as RequestInit)).toBe('411 MissingContentLength');
  });

  test('one byte over the largest size is refused before it is read', async () => {
    const { url } = await artifacts().createUpload('shop', 'art_1');
    const answer = await new Promise((resolve, reject) => {
      const sent = request(url, { method: 'PUT', headers: { 'content-length': 262_144_001 } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect(answer).toBe(400);
  });

  test('an upload that ends by half leaves nothing', async () => {
    await upload('art_1', 'whole');
    const { url } = await artifacts().createUpload('shop', 'art_1');
    const { port, pathname, search, host } = new URL(url);
    const files = () => readdirSync(join(dir, 's3', 'objects'));
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 10\r\n\r\nhalf`);
    await vi.waitFor(() => expect(files()).toHaveLength(2));
    socket.destroy();
    await vi.waitFor(() => expect(files()).toHaveLength(1));
    expect(await artifacts().find('shop', 'art_1')).toMatchObject({ bytes: 5 });
  });

  test('a start removes what an end in the middle of an upload left', async () => {
    await upload('art_1', 'whole');
    writeFileSync(join(dir, 's3', 'objects', 'version.new'), 'half');
    await restart();
    expect(readdirSync(join(dir, 's3', 'objects'))).toHaveLength(1);
    expect(await artifacts().find('shop', 'art_1')).toMatchObject({ bytes: 5 });
  });

  test('a delete marks the object, and its versions stay till each is deleted', async () => {
    const versionId = await upload('art_1', 'one');
    const name = { Bucket: BUCKET, Key: 'apps/shop/art_1.zip' };
    await s3().send(new DeleteObjectCommand(name));
    expect(await artifacts().find('shop', 'art_1')).toBeUndefined();
    expect(await artifacts().exists('shop', 'art_1', versionId)).toBe(true);
    const listed = await s3().send(new ListObjectVersionsCommand({ Bucket: BUCKET }));
    expect(listed.Versions).toMatchObject([{ VersionId: versionId, IsLatest: false, Size: 3 }]);
    const [marker] = listed.DeleteMarkers ?? [];
    expect(marker).toMatchObject({ Key: name.Key, IsLatest: true });
    expect(await artifacts().exists('shop', 'art_1', marker?.VersionId ?? '')).toBe(false);
    await artifacts().removeAll('shop');
    expect(await s3().send(new ListObjectVersionsCommand({ Bucket: BUCKET }))).not.toHaveProperty('Versions');
    expect(readdirSync(join(dir, 's3', 'objects'))).toEqual([]);
  });

  test('all versions are removed over several pages, and each is listed once', async () => {
    const client = s3();
    for (let index = 0; index < 7; index += 1) {
      const Key = `apps/shop/art_${index % 3}.zip`;
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: String(index) }));
    }
    const seen: string[] = [];
    let marker = {};
    for (;;) {
      const page = await client.send(new ListObjectVersionsCommand({ Bucket: BUCKET, MaxKeys: 2, ...marker }));
      seen.push(...(page.Versions ?? []).map(({ Key, VersionId }) => `${Key} ${VersionId}`));
      if (!page.IsTruncated) break;
      marker = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    }
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
  });

  test('keys of any characters are listed and deleted', async () => {
    const client = s3();
    const Key = `apps/shop/a&b <c> "d" 'e' ü%20+.zip`;
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'x' }));
    const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
    expect(await got.Body?.transformToString()).toBe('x');
    expect((await client.send(new ListObjectVersionsCommand({ Bucket: BUCKET }))).Versions?.[0]?.Key).toBe(Key);
    await artifacts().removeAll('shop');
    expect((await client.send(new ListObjectVersionsCommand({ Bucket: BUCKET }))).Versions).toBeUndefined();
  });

  test('objects outlive a restart', async () => {
    const versionId = await upload('art_1', 'kept');
    await restart();
    expect(await artifacts().find('shop', 'art_1')).toEqual({ versionId, bytes: 4 });
  });
});

describe('secrets', () => {
  const ssm = () => new SSMClient({ ...emulator.client, maxAttempts: 1 });
  const put = (input: object) =>
    ssm().send(new PutParameterCommand({ Name: '/a/KEY', Value: 'x', Type: 'SecureString', ...input }));

  test('they outlive a restart in a file for this user only', async () => {
    const secrets = createSecretValues({ stage: 'test', client: emulator.client });
    await Promise.all(['ONE', 'TWO', 'THREE'].map((key) => secrets.put('shop', key, `value of ${key}`)));
    await restart();
    const read = { Path: '/roundhouse/test/shop', WithDecryption: true };
    const { Parameters } = await ssm().send(new GetParametersByPathCommand(read));
    expect(Parameters?.map(({ Value }) => Value)).toEqual(['value of ONE', 'value of THREE', 'value of TWO']);
    expect(statSync(join(dir, 'ssm')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, 'ssm', 'parameters.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dir, 'ssm', 'parameters.json'), 'utf8')).toContain('value of ONE');
  });

  test('without decryption the value is not in the answer', async () => {
    await put({ Value: 'canary' });
    const { Parameters } = await ssm().send(new GetParametersByPathCommand({ Path: '/a' }));
    expect(Parameters).toMatchObject([{ Name: '/a/KEY', Type: 'SecureString', Version: 1 }]);
    expect(JSON.stringify(Parameters)).not.toContain('canary');
  });

  test('a change makes the next version, and only when it was asked to overwrite', async () => {
    await put({});
    await expect(put({ Value: 'y' })).rejects.toMatchObject({ name: 'ParameterAlreadyExists' });
    expect(await put({ Value: 'y', Overwrite: true })).toMatchObject({ Version: 2 });
  });

  test.each([
    ['a value over 4 KB', { Value: 'x'.repeat(4_097) }, /4096/],
    ['a value with a reference', { Value: 'a {{b}} c' }, /nest another parameter/],
    ['a name that is no path', { Name: 'a//b' }, /name/],
    ['a name of AWS', { Name: '/aws/x' }, /name/],
    ['an unknown type', { Type: 'Secret' }, /type/],
    ['another tier', { Tier: 'Advanced' }, /standard/],
  ])('%s is refused', async (_what, input, message) => {
    await expect(put(input)).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(message),
    });
  });

  test('more than ten names at once are refused, and a list has pages of ten', async () => {
    const Names = Array.from({ length: 11 }, (_, index) => `/a/KEY_${index}`);
    await expect(ssm().send(new DeleteParametersCommand({ Names }))).rejects.toMatchObject({
      name: 'ValidationException',
    });
    for (const Name of Names) await put({ Name });
    const first = await ssm().send(new GetParametersByPathCommand({ Path: '/a' }));
    expect(first.Parameters).toHaveLength(10);
    const second = await ssm().send(new GetParametersByPathCommand({ Path: '/a', NextToken: first.NextToken }));
    expect(second.Parameters).toHaveLength(1);
    expect(second.NextToken).toBeUndefined();
    const answer = await ssm().send(new DeleteParametersCommand({ Names: ['/a/KEY_1', '/a/NONE'] }));
    expect(answer).toMatchObject({ DeletedParameters: ['/a/KEY_1'], InvalidParameters: ['/a/NONE'] });
  });

  test('a path has what is right below it, and the rest on request', async () => {
    for (const Name of ['/a/b/ONE', '/a/TWO', '/ab/THREE']) await put({ Name });
    const list = async (Recursive: boolean) =>
      (await ssm().send(new GetParametersByPathCommand({ Path: '/a', Recursive }))).Parameters?.map(({ Name }) => Name);
    expect(await list(false)).toEqual(['/a/TWO']);
    expect(await list(true)).toEqual(['/a/TWO', '/a/b/ONE']);
  });
});

describe('logs', () => {
  const client = () => new CloudWatchLogsClient(emulator.client);
  const groups = async (logGroupNamePrefix?: string) =>
    (await client().send(new DescribeLogGroupsCommand({ logGroupNamePrefix }))).logGroups;

  test('the group of an app is made with its retention, and goes; both twice', async () => {
    const own = createLogGroups({ stage: 'test', client: emulator.client, retentionDays: 30 });
    for (let twice = 0; twice < 2; twice += 1) await own.ensure('shop');
    const name = own.nameOf('shop');
    expect(await groups()).toMatchObject([{ logGroupName: name, retentionInDays: 30, creationTime: clock.now() }]);
    emulator.logs.append(name, 'one', [{ at: clock.now(), message: 'line' }]);
    for (let twice = 0; twice < 2; twice += 1) await own.remove('shop');
    expect(await groups()).toEqual([]);
    expect(emulator.logs.read(name)).toBeUndefined();
    // A new group of the name begins without the retention of the old one.
    await client().send(new CreateLogGroupCommand({ logGroupName: name }));
    expect(await groups()).toEqual([expect.not.objectContaining({ retentionInDays: 30 })]);
  });

  test('groups are listed by the beginning of their names, in pages', async () => {
    for (const name of ['/b/1', '/a/2', '/a/1']) emulator.logs.create(name);
    expect((await groups('/a'))?.map(({ logGroupName }) => logGroupName)).toEqual(['/a/1', '/a/2']);
    const { logGroups, nextToken } = await client().send(new DescribeLogGroupsCommand({ limit: 2 }));
    expect(logGroups).toHaveLength(2);
    expect((await client().send(new DescribeLogGroupsCommand({ nextToken }))).logGroups).toHaveLength(1);
  });

  test.each([
    [
      'a retention that CloudWatch does not have',
      new PutRetentionPolicyCommand({ logGroupName: '/a', retentionInDays: 31 }),
      'InvalidParameterException',
    ],
    [
      'a retention of no group',
      new PutRetentionPolicyCommand({ logGroupName: '/none', retentionInDays: 30 }),
      'ResourceNotFoundException',
    ],
    ['the deletion of no group', new DeleteLogGroupCommand({ logGroupName: '/none' }), 'ResourceNotFoundException'],
    ['a second group of a name', new CreateLogGroupCommand({ logGroupName: '/a' }), 'ResourceAlreadyExistsException'],
    ['a name with a space', new CreateLogGroupCommand({ logGroupName: 'a b' }), 'InvalidParameterException'],
  ])('%s is refused', async (_what, command, name) => {
    emulator.logs.create('/a');
    await expect(client().send(command as CreateLogGroupCommand)).rejects.toMatchObject({ name });
  });

  test('the place to read on from is one that was given', async () => {
    const logs = createAppLogs({ stage: 'test', client: emulator.client, clock });
    emulator.logs.append('/roundhouse/test/shop', 'one', [{ at: 1, message: 'line' }]);
    const query = { from: 0, to: 10, limit: 10, next: 'made up' };
    await expect(logs.read('shop', query)).rejects.toMatchObject({ name: 'AppError', code: 'BAD_REQUEST' });
  });
});

describe('metrics', () => {
  const MINUTE = 60_000;
  const metrics = () => createAppMetrics({ stage: 'test', client: emulator.client });
  const call = (at: number, more: object = {}) =>
    emulator.invocations.record({
      functionName: 'roundhouse_test_shop',
      version: '1',
      at,
      durationMs: 10,
      error: false,
      throttled: false,
      concurrency: 1,
      ...more,
    });

  test.each([
    [
      'invocations',
      [
        [0, 3],
        [2, 1],
      ],
    ],
    [
      'errors',
      [
        [0, 1],
        [2, 0],
      ],
    ],
    [
      'throttles',
      [
        [0, 1],
        [2, 0],
      ],
    ],
    [
      'duration_p50',
      [
        [0, 20],
        [2, 10],
      ],
    ],
    [
      'duration_p95',
      [
        [0, 400],
        [2, 10],
      ],
    ],
    [
      'concurrent_executions',
      [
        [0, 3],
        [2, 1],
      ],
    ],
  ] as const)('%s has a point for each minute in which something ran', async (metric, expected) => {
    const start = clock.now();
    call(start + 1, { durationMs: 400, error: true });
    call(start + 2, { durationMs: 20, concurrency: 3 });
    call(start + 3, { durationMs: 10, concurrency: 2 });
    call(start + 4, { throttled: true, durationMs: 0, concurrency: 9 });
    call(start + 2 * MINUTE);
    call(start + 5 * MINUTE);
    call(start + 2, { functionName: 'roundhouse_test_other' });
    // A begin within a step is one at its start.
    const points = await metrics().read('shop', { metric, from: start + 5, to: start + 5 * MINUTE, stepMs: MINUTE });
    expect(points).toEqual(expected.map(([minute, value]) => ({ at: start + minute * MINUTE, value })));
  });

  test('a step of less than a minute is a minute, and one between is the next whole one', async () => {
    const start = clock.now();
    for (const minute of [0, 1, 2, 3]) call(start + minute * MINUTE);
    const range = { metric: 'invocations', from: start, to: start + 10 * MINUTE } as const;
    expect(await metrics().read('shop', { ...range, stepMs: 1 })).toHaveLength(4);
    expect((await metrics().read('shop', { ...range, stepMs: 1.5 * MINUTE })).map(({ value }) => value)).toEqual([
      2, 2,
    ]);
  });
});

describe('the server', () => {
  const post = async (headers: Record<string, string>, body = '{}') => {
    const response = await fetch(emulator.client.endpoint, { method: 'POST', headers, body });
    return `${response.status} ${((await response.json()) as { __type: string }).__type}`;
  };

  test.each([
    ['an unknown service', { 'x-amz-target': 'Other.Do', authorization: 'x' }, '400 UnknownOperationException'],
    [
      'an unknown operation',
      { 'x-amz-target': 'AmazonSSM.constructor', authorization: 'x' },
      '400 UnknownOperationException',
    ],
    ['an unsigned call', { 'x-amz-target': 'AmazonSSM.PutParameter' }, '400 MissingAuthenticationTokenException'],
  ])('%s is refused', async (_what, headers, expected) => {
    expect(await post(headers as unknown as Record<string, string>)).toBe(expected);
  });

  test('a request for another host is refused: a page of another site can make its name mean this machine', async () => {
    const { port } = new URL(emulator.client.endpoint);
    const status = await new Promise((resolve, reject) => {
      const headers = { host: 'evil.example', 'x-amz-target': 'AmazonSSM.GetParametersByPath', authorization: 'x' };
      const sent = request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end('{"Path":"/"}');
    });
    expect(status).toBe(403);
  });
});
