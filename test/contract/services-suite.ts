import {
  GetParametersByPathCommand,
  type GetParametersByPathCommandOutput,
  type Parameter,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAppLogs } from '../../lib/apps/services/app-logs.ts';
import { createAppMetrics } from '../../lib/apps/services/app-metrics.ts';
import { createArtifacts } from '../../lib/apps/services/artifacts.ts';
import { createCertificates } from '../../lib/apps/services/certificates.ts';
import { createSecretValues } from '../../lib/apps/services/secret-values.ts';
import { plainPut } from '../support/plain-put.ts';

/** What a suite needs of the place where it runs. Names of apps are the suite's own. */
export interface ServicesBench {
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** A versioned bucket. */
  readonly bucket: string;
  /** One stream of a group, made with it; times as they are. */
  writeLogs(group: string, stream: string, lines: readonly { at: number; message: string }[]): Promise<void>;
  /** A certificate with an elliptic key for this domain and one more name. */
  addCertificate(domain: string, more: string): Promise<void>;
}

const clock = { now: () => Date.now() };
/** Some stand-ins outlive a run. */
const RUN = `${process.pid}-${Date.now().toString(36)}`;
const STAGE = `suite-${RUN}`;
/** CloudWatch takes no lines of long ago. */
const START = clock.now() - 600_000;

/** What not every stand-in does; there the tests of it must fail, so that one which has learned it is noticed. */
export type Trait = 'several terms of a pattern' | 'further names in the list of certificates';

/** Each with how the stand-in differs. */
export type Differences = Partial<Record<Trait, string>>;

export function describeServices(
  name: string,
  open: () => Promise<ServicesBench>,
  differences: Differences = {},
): void {
  const about = (trait: Trait) => (differences[trait] === undefined ? test : test.fails);
  describe(name, () => {
    let bench: ServicesBench;
    beforeAll(async () => {
      bench = await open();
    });
    describe('packages', () => describeArtifacts(() => bench));
    describe('secrets', () => describeSecrets(() => bench));
    describe('logs', () => describeLogs(() => bench, about));

    test('a metric of a function that never ran has no points', async () => {
      const metrics = createAppMetrics({ stage: STAGE, client: bench.client });
      const hour = { from: START, to: START + 3_600_000, stepMs: 60_000 };
      expect(await metrics.read('idle', { metric: 'duration_p95', ...hour })).toEqual([]);
    });

    test('certificates are listed whatever their keys are', async () => {
      const domain = `shop-${RUN}.example.org`;
      await bench.addCertificate(domain, `www.${domain}`);
      const found = await createCertificates({ client: bench.client }).list();
      const arn = expect.stringMatching(/^arn:aws:acm:/);
      expect(found).toContainEqual(expect.objectContaining({ arn, domain, issuer: 'Amazon' }));
    });

    about('further names in the list of certificates')('a certificate is listed with its further names', async () => {
      const domain = `names-${RUN}.example.org`;
      await bench.addCertificate(domain, `www.${domain}`);
      const found = await createCertificates({ client: bench.client }).list();
      expect(found.find((facts) => facts.domain === domain)?.sans).toContain(`www.${domain}`);
    });
  });
}

function describeArtifacts(bench: () => ServicesBench): void {
  const open = () => createArtifacts({ bucket: bench().bucket, clock, client: bench().client });
  const upload = async (app: string, artifact: string, body: string) => {
    const { url } = await open().createUpload(app, artifact);
    expect(await plainPut(url, body)).toMatchObject({ status: 200 });
  };

  test('what a plain PUT uploaded is found with its size, and nothing before that', async () => {
    const app = `plain-${RUN}`;
    const artifacts = open();
    expect(await artifacts.find(app, 'art_1')).toBeUndefined();
    await upload(app, 'art_1', 'zip zip');
    expect(await artifacts.find(app, 'art_1')).toEqual({ versionId: expect.any(String), bytes: 7 });
  });

  test('a second upload is another version, and the first stays', async () => {
    const app = `twice-${RUN}`;
    const artifacts = open();
    await upload(app, 'art_1', 'one');
    const first = await artifacts.find(app, 'art_1');
    await upload(app, 'art_1', 'second');
    const second = await artifacts.find(app, 'art_1');
    expect(second).toMatchObject({ bytes: 6 });
    expect(second?.versionId).not.toBe(first?.versionId);
    for (const found of [first, second]) {
      expect(await artifacts.exists(app, 'art_1', found?.versionId ?? '')).toBe(true);
      expect(await artifacts.exists(app, 'art_2', found?.versionId ?? '')).toBe(false);
    }
  });

  test('to remove an artifact takes all of its versions and no other one, and twice is as once', async () => {
    const app = `remove-${RUN}`;
    const artifacts = open();
    await upload(app, 'art', 'one');
    const first = await artifacts.find(app, 'art');
    await upload(app, 'art', 'two');
    // Its key begins with the whole key of the other.
    await upload(app, 'art.zip', 'neighbour');
    await artifacts.remove(app, 'art');
    await artifacts.remove(app, 'art');
    expect(await artifacts.find(app, 'art')).toBeUndefined();
    expect(await artifacts.exists(app, 'art', first?.versionId ?? '')).toBe(false);
    expect(await artifacts.find(app, 'art.zip')).toMatchObject({ bytes: 9 });
  });

  test('to remove all of an app leaves the app whose name begins with its name', async () => {
    const app = `all-${RUN}`;
    const artifacts = open();
    for (const artifact of ['art_1', 'art_2', 'art_2']) await upload(app, artifact, 'x');
    await upload(`${app}-two`, 'art_1', 'x');
    await artifacts.removeAll(app);
    await artifacts.removeAll(app);
    expect(await artifacts.find(app, 'art_1')).toBeUndefined();
    expect(await artifacts.find(app, 'art_2')).toBeUndefined();
    expect(await artifacts.find(`${app}-two`, 'art_1')).toBeDefined();
  });
}

function describeSecrets(bench: () => ServicesBench): void {
  const open = () => createSecretValues({ stage: STAGE, client: bench().client });
  const read = async (Path: string): Promise<Record<string, string>> => {
    const client = new SSMClient(bench().client);
    const parameters: Parameter[] = [];
    let NextToken: string | undefined;
    do {
      const page: GetParametersByPathCommandOutput = await client.send(
        new GetParametersByPathCommand({ Path, WithDecryption: true, Recursive: true, NextToken }),
      );
      parameters.push(...(page.Parameters ?? []));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    expect(parameters.every(({ Type }) => Type === 'SecureString')).toBe(true);
    return Object.fromEntries(parameters.map(({ Name = '', Value = '' }) => [Name.split('/').at(-1), Value]));
  };

  test.each([
    ['words', 'correct horse'],
    ['quotes, newlines and an emoji', `it's "quoted" \\ $HOME\n\tüber 🎠\r\n`],
    ['spaces at the ends', '  x  '],
    ['4 KB', 'ü'.repeat(2_048)],
  ])('a value of %s is kept as it is, encrypted', async (_what, value) => {
    const secrets = open();
    await secrets.put('kept', 'KEY', 'before');
    await secrets.put('kept', 'KEY', value);
    expect(await read(secrets.pathOf('kept'))).toEqual({ KEY: value });
  });

  test('one secret is removed, and twice is as once', async () => {
    const secrets = open();
    await secrets.put('single', 'ONE', '1');
    await secrets.put('single', 'TWO', '2');
    await secrets.remove('single', 'ONE');
    await secrets.remove('single', 'ONE');
    expect(await read(secrets.pathOf('single'))).toEqual({ TWO: '2' });
  });

  test('all secrets of an app are removed over several pages, and none of the app whose name begins with its name', async () => {
    const secrets = open();
    const keys = Array.from({ length: 23 }, (_, index) => `KEY_${index}`);
    for (const key of keys) await secrets.put('many', key, key);
    await secrets.put('many-more', 'KEY', 'stays');
    expect(Object.keys(await read(secrets.pathOf('many')))).toHaveLength(23);
    await secrets.removeAll('many');
    await secrets.removeAll('many');
    expect(await read(secrets.pathOf('many'))).toEqual({});
    expect(await read(secrets.pathOf('many-more'))).toEqual({ KEY: 'stays' });
  });
}

function describeLogs(bench: () => ServicesBench, about: (trait: Trait) => typeof test | typeof test.fails): void {
  const range = { from: START, to: START + 60_000 };
  const write = async (app: string, messages: readonly string[], stream = 'one') => {
    const lines = messages.map((message, index) => ({ at: START + index * 1_000, message }));
    await bench().writeLogs(`/roundhouse/${STAGE}/${app}`, stream, lines);
  };
  const open = () => createAppLogs({ stage: STAGE, client: bench().client, clock });

  test('an app without a log group has no lines', async () => {
    expect(await open().read('silent', { ...range, limit: 10 })).toEqual({ entries: [] });
  });

  test('lines come oldest first over all instances, with those of the platform, and within the times', async () => {
    await write('order', ['START RequestId: 1', 'a1', 'a2', 'a3']);
    await write('order', ['b0', 'b1'], 'two');
    const { entries, next } = await open().read('order', { from: START + 1_000, to: START + 2_000, limit: 10 });
    expect(entries.map(({ message }) => message).sort()).toEqual(['a1', 'a2', 'b1']);
    expect(entries.map(({ at }) => at - START)).toEqual([1_000, 1_000, 2_000]);
    expect(new Set(entries.map(({ stream }) => stream))).toEqual(new Set(['stdout']));
    expect(next).toBeUndefined();
  });

  const LINES = ['payment done', 'done payment', 'payment lost', '{ $.level = 5 } says "lost"'];
  const search = async (app: string, contains: string) => {
    await write(app, LINES);
    const { entries } = await open().read(app, { ...range, limit: 10, contains });
    return entries.map(({ message }) => message);
  };

  test.each([
    ['a word', 'payment lost', ['payment lost']],
    ['part of a word', 'ymen', LINES.slice(0, 3)],
    ['words in another order', 'done payment', ['done payment']],
    ['what would be of the language of patterns', '{ $.level = 5 }', LINES.slice(3)],
    ['terms that are to be left out', '-done', []],
    ['another case', 'PAYMENT', []],
  ])('lines are searched for %s', async (what, contains, expected) => {
    expect(await search(`search-${what.replaceAll(' ', '-')}`, contains)).toEqual(expected);
  });

  about('several terms of a pattern')('lines are searched for a text with quotes', async () => {
    expect(await search('search-quotes', '} says "lost"')).toEqual(LINES.slice(3));
  });

  test('pages follow each other without a gap and without a line twice', async () => {
    const messages = Array.from({ length: 25 }, (_, index) => `line ${index}`);
    await write('pages', messages);
    const seen: string[] = [];
    let next: string | undefined;
    let pages = 0;
    do {
      const page = await open().read('pages', { ...range, limit: 10, ...(next !== undefined && { next }) });
      expect(page.entries.length).toBeLessThanOrEqual(10);
      seen.push(...page.entries.map(({ message }) => message));
      next = page.next;
      pages += 1;
    } while (next !== undefined);
    expect(seen).toEqual(messages);
    expect(pages).toBeGreaterThanOrEqual(3);
  });
}
