import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeAuthority, makeServerCertificate } from '../../../lib/dev/certificates.ts';
import { openPrivateFolder } from '../../../lib/dev/private-folder.ts';
import { type DevelopmentTls, loadDevelopmentTls } from '../../../lib/dev/tls.ts';

const NOW = Date.UTC(2027, 0, 1);
const DAY_MS = 86_400_000;
let folder: string;
let dir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-tls-'));
  dir = join(folder, 'private');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function load({ hosts = [], now = NOW }: { hosts?: string[]; now?: number } = {}): Promise<DevelopmentTls> {
  return loadDevelopmentTls({ folder: await openPrivateFolder(dir), hosts, now });
}

const certificate = ({ cert }: { readonly cert: string }) => new X509Certificate(cert);
const authorityOf = ({ caBundle }: DevelopmentTls) => new X509Certificate(Buffer.from(caBundle, 'base64').toString());
const pem = ({ cert, key }: { readonly cert: string; readonly key: string }) => key + cert;

describe('what is made', () => {
  test('is a CA that can sign nothing but servers, and a server certificate of it', async () => {
    const tls = await load();
    const authority = authorityOf(tls);
    const server = certificate(tls);
    expect(authority).toMatchObject({ ca: true, subject: 'CN=Roundhouse development CA' });
    expect(authority.verify(authority.publicKey)).toBe(true);
    // BasicConstraints: a CA, and none below it.
    expect(authority.raw.toString('hex')).toContain('30060101ff020100');
    expect(server.ca).toBe(false);
    expect(server.checkIssued(authority) && server.verify(authority.publicKey)).toBe(true);
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(server.serialNumber).not.toBe(authority.serialNumber);
    expect(tls.isNewAuthority).toBe(true);
  });

  test('covers the loopback names and each host, and nothing else', async () => {
    const server = certificate(await load({ hosts: ['host.docker.internal', '172.18.0.1', 'fd00::1', 'localhost'] }));
    expect(server.subjectAltName?.split(', ')).toEqual([
      'DNS:localhost',
      'IP Address:127.0.0.1',
      'IP Address:0:0:0:0:0:0:0:1',
      'DNS:host.docker.internal',
      'IP Address:172.18.0.1',
      'IP Address:FD00:0:0:0:0:0:0:1',
    ]);
  });

  test('is valid since yesterday, for ten years and one', async () => {
    const tls = await load();
    for (const [{ validFromDate, validToDate }, days] of [
      [authorityOf(tls), 3_650],
      [certificate(tls), 365],
    ] as const) {
      expect(validFromDate.getTime()).toBe(NOW - DAY_MS);
      expect(validToDate.getTime()).toBe(NOW + days * DAY_MS);
    }
  });

  test('is in files that only this user reads', async () => {
    const { caFile, caBundle } = await load();
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await readdir(dir)).toSorted()).toEqual(['ca.crt', 'ca.pem', 'server.pem']);
    for (const file of await readdir(dir)) expect((await stat(join(dir, file))).mode & 0o777).toBe(0o600);
    expect(caFile).toBe(join(dir, 'ca.crt'));
    expect(await readFile(caFile, 'base64')).toBe(caBundle);
    expect(await readFile(caFile, 'utf8')).not.toContain('KEY');
  });
});

describe('after a restart', () => {
  test('all is as it was', async () => {
    const { close: _close, isNewAuthority: _first, key: firstKey, ...first } = await load({ hosts: ['laptop'] });
    const {
      close: _again,
      isNewAuthority,
      key,
      ...second
    } = await load({ hosts: ['laptop'], now: NOW + 200 * DAY_MS });
    expect(second).toEqual(first);
    expect(key).toContain(firstKey);
    expect(isNewAuthority).toBe(false);
  });

  test('a certificate that covers more names than are wanted is kept', async () => {
    const first = await load({ hosts: ['laptop'] });
    expect((await load()).cert).toBe(first.cert);
  });

  test.each([['desktop'], ['172.18.0.1'], ['fd00::1'], ['sub.laptop']])(
    'a missing name, %s, makes another certificate of the same CA',
    async (host) => {
      const first = await load({ hosts: ['laptop'] });
      const second = await load({ hosts: [host] });
      expect(second.cert).not.toBe(first.cert);
      expect(second.caBundle).toBe(first.caBundle);
      expect(certificate(second).verify(authorityOf(first).publicKey)).toBe(true);
    },
  );

  test.each([
    ['a server certificate with more than 90 days', 274, { server: true, ca: true }],
    ['a server certificate with 90 days', 275, { server: false, ca: true }],
    ['an expired server certificate', 400, { server: false, ca: true }],
    ['a CA with more than 90 days', 3_559, { server: false, ca: true }],
    ['a CA with 90 days', 3_560, { server: false, ca: false }],
    ['an expired CA', 4_000, { server: false, ca: false }],
    ['what is not valid yet', -2, { server: false, ca: false }],
  ])('%s left is kept or made anew: after %i days %o', async (_name, days, kept) => {
    const first = await load();
    const second = await load({ now: NOW + days * DAY_MS });
    expect({ server: second.cert === first.cert, ca: second.caBundle === first.caBundle }).toEqual(kept);
    expect(second.isNewAuthority).toBe(!kept.ca);
    expect(certificate(second).verify(authorityOf(second).publicKey)).toBe(true);
  });

  test('a server certificate without its CA is made anew with another CA', async () => {
    const first = await load();
    await rm(join(dir, 'ca.pem'));
    const second = await load();
    expect(second.caBundle).not.toBe(first.caBundle);
    expect(certificate(second).verify(authorityOf(second).publicKey)).toBe(true);
    expect(await readFile(second.caFile, 'base64')).toBe(second.caBundle);
  });

  test('modes that were loosened are set right', async () => {
    await load();
    await chmod(dir, 0o755);
    await chmod(join(dir, 'ca.pem'), 0o644);
    await load();
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, 'ca.pem'))).mode & 0o777).toBe(0o600);
  });
});

describe('a file that is not ours', () => {
  const others = {
    nothing: async () => '',
    text: async () => 'canary',
    'a certificate without its key': async () => (await makeAuthority('Roundhouse development CA', NOW)).cert,
    'a key without its certificate': async () => (await makeAuthority('Roundhouse development CA', NOW)).key,
    'half of a file': async () => pem(await makeAuthority('Roundhouse development CA', NOW)).slice(0, 500),
    'the key of another': async () => {
      const [one, other] = [await makeAuthority('a', NOW), await makeAuthority('a', NOW)];
      return one.key + other.cert;
    },
  };
  const authorities = {
    ...others,
    'a foreign CA': async () => pem(await makeAuthority('Company CA', NOW)),
    'a server certificate': async () =>
      pem(await makeServerCertificate(await makeAuthority('Roundhouse development CA', NOW), ['localhost'], NOW)),
  };
  const servers = { ...others, 'a CA': async () => pem(await makeAuthority('Roundhouse development CA', NOW)) };

  test.each([
    ...Object.entries(authorities).map(([name, make]) => ['ca.pem', name, make] as const),
    ...Object.entries(servers).map(([name, make]) => ['server.pem', name, make] as const),
  ])('%s with %s is refused with what to do, and stays', async (file, _name, make) => {
    await load();
    const text = await make();
    await writeFile(join(dir, file), text);
    const error: any = await load().catch((fault: unknown) => fault);
    expect(error.code).toBe('UNPROCESSABLE');
    expect(error.message).toMatch(
      /^The file \S+ cannot be used: it does not hold a certificate and its key that Roundhouse made\. Move it away, /,
    );
    expect(error.message).toContain(join(dir, file));
    expect(error.message).not.toContain('canary');
    expect(await readFile(join(dir, file), 'utf8')).toBe(text);
    await rm(join(dir, file));
    await load();
  });

  test.each([
    ['a folder where the file should be', 'file', async () => mkdir(join(dir, 'ca.pem'), { recursive: true })],
    [
      'a link to itself',
      'file',
      async () => {
        await mkdir(dir);
        await symlink('ca.pem', join(dir, 'ca.pem'));
      },
    ],
    ['a file where the folder should be', 'folder', async () => writeFile(dir, '')],
    [
      'a file where the folder of the folder should be',
      'folder',
      async () => {
        await rm(dirname(dir), { recursive: true });
        await writeFile(dirname(dir), '');
      },
    ],
  ])('%s is refused with what to do', async (_name, what, prepare) => {
    await prepare();
    await expect(load()).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringMatching(
        new RegExp(`^The ${what} \\S+ cannot be used: .* move it away, and a new one is made`),
      ),
    });
  });
});

describe('without a folder', () => {
  test('the CA is another one each time, and only its certificate is in a file, until the end', async () => {
    const [first, second] = await Promise.all([0, 1].map(() => loadDevelopmentTls({ hosts: [], now: NOW })));
    if (first === undefined || second === undefined) throw new Error('unreachable');
    expect(first.caBundle).not.toBe(second.caBundle);
    expect(first.caFile).not.toBe(second.caFile);
    expect(await readdir(dirname(first.caFile))).toEqual(['ca.crt']);
    expect(await readFile(first.caFile, 'base64')).toBe(first.caBundle);
    for (const { caFile, close } of [first, second]) {
      await close();
      await expect(stat(dirname(caFile))).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });
});
