import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Code } from '../../lib/apps/model.ts';
import type { FunctionInput, Runtime } from '../../lib/apps/runtime/runtime.ts';

/** What a suite needs of the place where it runs. */
export interface RuntimeBench {
  readonly runtime: Runtime;
  /** Uploads a package whose `index.mjs` is this text. */
  upload(app: string, source: string): Promise<Extract<Code, { kind: 'zip' }>>;
  /** An image that is there, and one that is not. */
  readonly images: { readonly present: Code; readonly absent: Code };
  readonly roleArn: string;
  /** From now on an update of the app stays in progress, until it is released. */
  holdUpdates(app: string): { release(): void };
}

/**
 * What not every stand-in for Lambda does. A place names those that it lacks, each with how it differs: there the tests of
 * it must fail, so that one which has learned it is noticed.
 */
export type Trait =
  | 'runs code'
  | 'asynchronous updates'
  | 'revision ids of functions'
  | 'revision ids of aliases'
  | 'one version for what did not change'
  | 'removal of a version only'
  | 'aliases hold their version'
  | 'aliases of known versions only'
  | 'conflict over an alias'
  | 'a reservation of 0 refuses invocations'
  | 'invocations of what is there only'
  | 'removal of a version without a function'
  | 'versions of what is there only'
  | 'packages that are there only'
  | 'images that are there only'
  | 'package types'
  | 'bounds of settings'
  | '4 KB of variables'
  | 'roles'
  | 'URLs of aliases'
  | 'a policy change is a new revision of the alias'
  | 'reserved concurrency of 0'
  | 'pool of concurrency'
  | 'account settings';

export type Differences = Partial<Record<Trait, string>>;

const SETTINGS = {
  port: 8080,
  env: { GREETING: 'hello' },
  memoryMb: 128,
  timeoutSeconds: 5,
  runtime: 'nodejs24.x',
  handler: 'index.handler',
  architecture: 'arm64',
} as const;
const SAY = (text: string) => `export const handler = async (event) => {
  console.log('a line of ${text}');
  if (event.fail) throw new Error('asked to fail');
  if (event.hang) await new Promise((resolve) => setTimeout(resolve, 3_000));
  return { statusCode: 200, body: ['${text}', process.env.GREETING, event.rawPath].join(' ') };
};`;

/** What every runtime must do: the driver on any endpoint, and every stand-in for it. */
export function describeRuntime(
  name: string,
  open: () => RuntimeBench | Promise<RuntimeBench>,
  differences: Differences = {},
): void {
  describe(`${name} as a runtime`, () => {
    let bench: RuntimeBench;
    let runtime: Runtime;
    let apps = 0;

    beforeAll(async () => {
      bench = await open();
      runtime = bench.runtime;
    });

    /** A test, or one that must fail where the place lacks the trait. */
    const check = (trait: Trait, title: string, run: () => Promise<void>) => {
      const difference = differences[trait];
      if (difference === undefined) test(title, run);
      else test.fails(`(not here: ${difference}) ${title}`, run);
    };
    /** The name of an app that no other test has. */
    const nextApp = () => {
      apps += 1;
      return `app-${apps}`;
    };
    const inputFor = (app: string, code: Code, settings: Partial<FunctionInput['settings']> = {}): FunctionInput => ({
      code,
      settings: { ...SETTINGS, ...settings },
      variables: { ROUNDHOUSE_APP: app },
      roleArn: bench.roleArn,
      logGroup: `/roundhouse/test/${app}`,
      layers: [],
      tags: { 'roundhouse:app': app },
    });
    /** Waits as the worker does, for the end of what Lambda does after its answer. */
    const settle = (app: string) =>
      vi.waitFor(
        async () => {
          const found = await runtime.find(app);
          expect(found).toMatchObject({ state: 'Active', lastUpdateStatus: 'Successful' });
          return found;
        },
        { interval: 5, timeout: 5_000 },
      );
    const settleVersion = (app: string, version: string) =>
      vi.waitFor(async () => expect(await runtime.findVersion(app, version)).toMatchObject({ state: 'Active' }), {
        interval: 5,
        timeout: 5_000,
      });
    const create = async (source = SAY('one')) => {
      const app = nextApp();
      const code = await bench.upload(app, source);
      const input = inputFor(app, code);
      await runtime.create(app, input);
      await settle(app);
      return { app, code, input };
    };
    const update = async (app: string, source: string) => {
      const code = await bench.upload(app, source);
      await runtime.updateCode(app, code, { architecture: 'arm64' });
      await settle(app);
      return code;
    };
    const publish = async (app: string, description = 'dep_1') => {
      const { version } = await runtime.publish(app, { description });
      await settleVersion(app, version);
      return version;
    };
    /** A function with one version behind the alias. */
    const release = async (source?: string) => {
      const made = await create(source);
      const version = await publish(made.app);
      const alias = await runtime.setAlias(made.app, version);
      return { ...made, version, alias };
    };

    describe('a function', () => {
      test('is not there before it is made', async () => {
        expect(await runtime.find(nextApp())).toBeUndefined();
      });

      test('is made of a package, and found', async () => {
        const app = nextApp();
        const made = await runtime.create(app, inputFor(app, await bench.upload(app, SAY('one'))));
        expect(made).toMatchObject({ arn: expect.stringContaining(`_${app}`), packageType: 'Zip' });
        const found = await settle(app);
        expect(found).toMatchObject({ arn: made.arn, codeSha256: made.codeSha256, packageType: 'Zip' });
        expect(found?.codeSha256).not.toBe('');
        expect(found).not.toHaveProperty('reservedConcurrency');
      });

      test('is made once: a second time is a conflict', async () => {
        const { app, input } = await create();
        await expect(runtime.create(app, input)).rejects.toMatchObject({ code: 'conflict' });
      });

      test('is made of an image', async () => {
        const app = nextApp();
        await runtime.create(app, inputFor(app, bench.images.present));
        expect(await settle(app)).toMatchObject({ packageType: 'Image' });
      });

      check('images that are there only', 'is not made of an image that is not there', async () => {
        const app = nextApp();
        const refused = runtime.create(app, inputFor(app, bench.images.absent));
        await expect(refused).rejects.toMatchObject({ code: 'image_unreadable' });
        expect(await runtime.find(app)).toBeUndefined();
      });

      check('packages that are there only', 'is not made of a package that is not there', async () => {
        const app = nextApp();
        const code = { ...(await bench.upload(app, SAY('one'))), artifact: 'art_none' };
        await expect(runtime.create(app, inputFor(app, code))).rejects.toMatchObject({ code: 'code_missing' });
        expect(await runtime.find(app)).toBeUndefined();
      });

      check('packages that are there only', 'is not made of another version of a package', async () => {
        const app = nextApp();
        const code = { ...(await bench.upload(app, SAY('one'))), versionId: 'versionThatIsNotThere' };
        await expect(runtime.create(app, inputFor(app, code))).rejects.toMatchObject({ code: 'code_missing' });
      });

      check('roles', 'is not made with a role that is not there yet', async () => {
        const app = nextApp();
        const input = inputFor(app, await bench.upload(app, SAY('one')));
        const refused = runtime.create(app, { ...input, roleArn: `${bench.roleArn}-not-there` });
        await expect(refused).rejects.toMatchObject({ code: 'role_not_ready' });
      });

      check('bounds of settings', 'is not made with settings that Lambda does not have', async () => {
        const app = nextApp();
        const code = await bench.upload(app, SAY('one'));
        const refused = runtime.create(app, inputFor(app, code, { memoryMb: 64 }));
        await expect(refused).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(/memory/i) });
      });

      check(
        '4 KB of variables',
        'is not made with too many variables, and their values are not told (R19)',
        async () => {
          const app = nextApp();
          const code = await bench.upload(app, SAY('one'));
          const env = { CANARY: 'canary-'.repeat(600) };
          const error = await runtime.create(app, inputFor(app, code, { env })).catch((reason: unknown) => reason);
          expect(error).toMatchObject({ code: 'env_too_large', message: expect.not.stringContaining('canary') });
        },
      );
    });

    describe('an update', () => {
      test('of the code gives the function other code', async () => {
        const { app } = await create();
        const before = await runtime.find(app);
        await update(app, SAY('two'));
        const after = await runtime.find(app);
        expect(after?.codeSha256).not.toBe(before?.codeSha256);
      });

      test('of the settings leaves the code', async () => {
        const { app, input } = await create();
        const before = await runtime.find(app);
        await runtime.updateSettings(app, { ...input, settings: { ...input.settings, memoryMb: 256 } });
        expect(await settle(app)).toMatchObject({ codeSha256: before?.codeSha256, packageType: 'Zip' });
      });

      check('asynchronous updates', 'runs on after its answer, and another one meanwhile is a conflict', async () => {
        const { app, code, input } = await create();
        const held = bench.holdUpdates(app);
        const started = await runtime.updateCode(app, code, { architecture: 'arm64' });
        expect(started.lastUpdateStatus).toBe('InProgress');
        expect(await runtime.find(app)).toMatchObject({ lastUpdateStatus: 'InProgress' });
        await expect(runtime.updateSettings(app, input)).rejects.toMatchObject({ code: 'conflict' });
        await expect(runtime.updateCode(app, code, { architecture: 'arm64' })).rejects.toMatchObject({
          code: 'conflict',
        });
        await expect(runtime.publish(app, { description: 'dep_1' })).rejects.toMatchObject({ code: 'conflict' });
        held.release();
        await settle(app);
        await runtime.updateSettings(app, input);
      });

      check('revision ids of functions', 'changes the revision id, and is refused with an old one', async () => {
        const { app, code, input } = await create();
        const before = await settle(app);
        await runtime.updateCode(app, code, { architecture: 'arm64', revisionId: `${before?.revisionId}` });
        const after = await settle(app);
        expect(after?.revisionId).not.toBe(before?.revisionId);
        const old = `${before?.revisionId}`;
        await expect(runtime.updateSettings(app, input, old)).rejects.toMatchObject({ code: 'precondition' });
        await expect(runtime.updateCode(app, code, { architecture: 'arm64', revisionId: old })).rejects.toMatchObject({
          code: 'precondition',
        });
        await expect(runtime.publish(app, { description: 'd', revisionId: old })).rejects.toMatchObject({
          code: 'precondition',
        });
      });

      check('package types', 'does not make an image of a package', async () => {
        const { app } = await create();
        const refused = runtime.updateCode(app, bench.images.present, { architecture: 'arm64' });
        await expect(refused).rejects.toMatchObject({ code: 'invalid' });
      });

      test('of the settings of an image leaves out what an image has in it', async () => {
        const app = nextApp();
        const input = inputFor(app, bench.images.present);
        await runtime.create(app, input);
        await settle(app);
        await runtime.updateSettings(app, input);
        expect(await settle(app)).toMatchObject({ packageType: 'Image' });
      });

      check('packages that are there only', 'of the code to a package that is not there is refused', async () => {
        const { app, code } = await create();
        const before = await runtime.find(app);
        const refused = runtime.updateCode(app, { ...code, artifact: 'art_none' }, { architecture: 'arm64' });
        await expect(refused).rejects.toMatchObject({ code: 'code_missing' });
        expect(await runtime.find(app)).toMatchObject({ codeSha256: before?.codeSha256 });
      });
    });

    describe('a version', () => {
      test('has its number, its description and the code of the moment', async () => {
        const { app } = await create();
        const published = await runtime.publish(app, { description: 'dep_first' });
        expect(published).toMatchObject({ version: '1', description: 'dep_first' });
        expect(published.arn).toMatch(/:1$/);
        await settleVersion(app, '1');
        await update(app, SAY('two'));
        const latest = await runtime.find(app);
        const found = await runtime.findVersion(app, '1');
        expect(found).toMatchObject({ description: 'dep_first', codeSha256: published.codeSha256 });
        expect(found?.codeSha256).not.toBe(latest?.codeSha256);
      });

      check('one version for what did not change', 'is given again when nothing changed since', async () => {
        const { app } = await create();
        await update(app, SAY('two'));
        await publish(app, 'dep_first');
        expect(await runtime.publish(app, { description: 'dep_second' })).toMatchObject({
          version: '1',
          description: 'dep_first',
        });
      });

      test('is another one after an update', async () => {
        const { app, input } = await create();
        await publish(app);
        await runtime.updateSettings(app, { ...input, settings: { ...input.settings, env: { GREETING: 'hi' } } });
        await settle(app);
        expect(await publish(app)).toBe('2');
      });

      test('is in the list, the lowest first and without $LATEST', async () => {
        const { app, input } = await create();
        for (const number of [1, 2, 3]) {
          await runtime.updateSettings(app, { ...input, variables: { NUMBER: `${number}` } });
          await settle(app);
          await publish(app, `dep_${number}`);
        }
        const found = await runtime.versions(app);
        expect(found.map(({ version, description }) => [version, description])).toEqual([
          ['1', 'dep_1'],
          ['2', 'dep_2'],
          ['3', 'dep_3'],
        ]);
      });

      test('that is not there is not found', async () => {
        const { app } = await create();
        expect(await runtime.findVersion(app, '7')).toBeUndefined();
        expect(await runtime.findVersion(nextApp(), '1')).toBeUndefined();
      });

      check('removal of a version only', 'is removed without the function, twice as once', async () => {
        const { app } = await create();
        const version = await publish(app);
        await runtime.removeVersion(app, version);
        expect(await runtime.findVersion(app, version)).toBeUndefined();
        expect(await runtime.find(app)).toBeDefined();
        await runtime.removeVersion(app, version);
      });

      check('aliases hold their version', 'that the alias stands for is not removed', async () => {
        const { app, version } = await release();
        await expect(runtime.removeVersion(app, version)).rejects.toMatchObject({ code: 'conflict' });
        expect(await runtime.findVersion(app, version)).toBeDefined();
      });
    });

    describe('the alias', () => {
      test('is not there before it is set', async () => {
        const { app } = await create();
        expect(await runtime.findAlias(app)).toBeUndefined();
        expect(await runtime.findAlias(nextApp())).toBeUndefined();
      });

      test('is set, found and moved', async () => {
        const { app, alias } = await release();
        expect(alias).toMatchObject({ version: '1', revisionId: expect.stringMatching(/./) });
        expect(await runtime.findAlias(app)).toEqual(alias);
        await update(app, SAY('two'));
        const version = await publish(app);
        expect(await runtime.setAlias(app, version, alias.revisionId)).toMatchObject({ version });
        expect(await runtime.findAlias(app)).toMatchObject({ version });
      });

      check('conflict over an alias', 'is made once: a second time is a conflict', async () => {
        const { app, version } = await release();
        await expect(runtime.setAlias(app, version)).rejects.toMatchObject({ code: 'conflict' });
      });

      check('revision ids of aliases', 'is moved by one of two who have seen the same', async () => {
        const { app, alias } = await release();
        await update(app, SAY('two'));
        const version = await publish(app);
        const moves = await Promise.allSettled([
          runtime.setAlias(app, version, alias.revisionId),
          runtime.setAlias(app, '1', alias.revisionId),
        ]);
        const [winner, ...more] = moves.filter(({ status }) => status === 'fulfilled');
        expect(winner).toBeDefined();
        expect(more).toEqual([]);
        expect(moves.filter(({ status }) => status === 'rejected')).toMatchObject([
          { reason: { code: 'precondition' } },
        ]);
      });

      check('aliases of known versions only', 'never stands for a version that is not there', async () => {
        const { app, alias } = await release();
        await expect(runtime.setAlias(app, '9', alias.revisionId)).rejects.toMatchObject({ code: 'not_found' });
        expect(await runtime.findAlias(app)).toEqual(alias);
      });

      check(
        'a policy change is a new revision of the alias',
        'has to be read again after its URL was made',
        async () => {
          const { app, alias, version } = await release();
          await runtime.ensureUrl(app);
          await expect(runtime.setAlias(app, version, alias.revisionId)).rejects.toMatchObject({
            code: 'precondition',
          });
          const now = await runtime.findAlias(app);
          await runtime.setAlias(app, version, `${now?.revisionId}`);
        },
      );
    });

    describe('the URL', () => {
      test('is made with both permissions (R12), and twice is as once', async () => {
        const { app } = await release();
        expect(await runtime.findUrl(app)).toBeUndefined();
        const url = await runtime.ensureUrl(app);
        expect(url).toMatch(/^https?:\/\//);
        const found = { url, permissions: { invokeFunctionUrl: true, invokeFunction: true } };
        expect(await runtime.findUrl(app)).toEqual(found);
        expect(await runtime.ensureUrl(app)).toBe(url);
        expect(await runtime.findUrl(app)).toEqual(found);
      });

      check('URLs of aliases', 'needs the alias', async () => {
        const { app } = await create();
        await expect(runtime.ensureUrl(app)).rejects.toMatchObject({ code: 'not_found' });
      });

      check('runs code', 'answers with the version of the alias, and with the next one after a move', async () => {
        const { app, alias } = await release();
        const url = await runtime.ensureUrl(app);
        const get = async () => {
          const answer = await fetch(new URL('path', url));
          return [answer.status, await answer.text()];
        };
        expect(await get()).toEqual([200, 'one hello /path']);
        await update(app, SAY('two'));
        const version = await publish(app);
        expect(await get()).toEqual([200, 'one hello /path']);
        const { revisionId } = (await runtime.findAlias(app)) ?? alias;
        await runtime.setAlias(app, version, revisionId);
        expect(await get()).toEqual([200, 'two hello /path']);
      });

      check('runs code', 'answers 429 while nothing may run, and again afterwards (R41)', async () => {
        const { app } = await release();
        const url = await runtime.ensureUrl(app);
        await runtime.setConcurrency(app, 0);
        expect((await fetch(url)).status).toBe(429);
        await runtime.setConcurrency(app, undefined);
        expect((await fetch(url)).status).toBe(200);
      });
    });

    describe('reserved concurrency', () => {
      test('is set and taken away, twice as once', async () => {
        const { app } = await create();
        await runtime.setConcurrency(app, 5);
        await runtime.setConcurrency(app, 5);
        expect(await runtime.find(app)).toMatchObject({ reservedConcurrency: 5 });
        await runtime.setConcurrency(app, undefined);
        await runtime.setConcurrency(app, undefined);
        expect(await runtime.find(app)).not.toHaveProperty('reservedConcurrency');
      });

      check('reserved concurrency of 0', 'of 0 is told apart from none (R41)', async () => {
        const { app } = await create();
        await runtime.setConcurrency(app, 0);
        expect(await runtime.find(app)).toMatchObject({ reservedConcurrency: 0 });
      });

      check('pool of concurrency', 'is not taken beyond what the account has', async () => {
        const { app } = await create();
        await expect(runtime.setConcurrency(app, 100_000)).rejects.toMatchObject({ code: 'concurrency_exhausted' });
      });
    });

    describe('an invocation', () => {
      check('runs code', 'gives what the version answers, and the end of its log', async () => {
        const { app, version } = await release();
        const answer = await runtime.invoke(app, version, { rawPath: '/x' }, 10_000);
        expect(JSON.parse(answer.payload)).toEqual({ statusCode: 200, body: 'one hello /x' });
        expect(answer.logTail).toContain('a line of one');
        expect(answer).not.toHaveProperty('functionError');
      });

      check('runs code', 'says when the function threw', async () => {
        const { app, version } = await release();
        const answer = await runtime.invoke(app, version, { fail: true }, 10_000);
        expect(answer).toMatchObject({ functionError: 'Unhandled', payload: expect.stringContaining('asked to fail') });
      });

      check('runs code', 'says when the code cannot even be loaded', async () => {
        const { app, version } = await release("throw new Error('broken at start');");
        const answer = await runtime.invoke(app, version, {}, 10_000);
        expect(answer).toMatchObject({
          functionError: 'Unhandled',
          payload: expect.stringContaining('broken at start'),
        });
      });

      check('runs code', 'is waited for no longer than the caller says', async () => {
        const { app, version } = await release();
        await expect(runtime.invoke(app, version, { hang: true }, 100)).rejects.toMatchObject({
          code: 'unavailable',
          message: `Version 1 of ${app} gave no answer within 100 ms.`,
        });
      });

      check('a reservation of 0 refuses invocations', 'is refused while nothing may run', async () => {
        const { app, version } = await release();
        await runtime.setConcurrency(app, 0);
        const refused = runtime.invoke(app, version, {}, 10_000);
        await expect(refused).rejects.toMatchObject({ code: 'concurrency_exhausted' });
      });

      check('invocations of what is there only', 'of a version that is not there is not_found', async () => {
        const { app } = await create();
        await expect(runtime.invoke(app, '9', {}, 10_000)).rejects.toMatchObject({ code: 'not_found' });
      });
    });

    describe('without a function', () => {
      const code = { kind: 'zip', artifact: 'art_1', versionId: 'v1', bytes: 1 } as const;
      const calls: readonly (readonly [string, (app: string) => Promise<unknown>, Trait?])[] = [
        ['updateCode', (app) => runtime.updateCode(app, code, { architecture: 'arm64' })],
        ['updateSettings', (app) => runtime.updateSettings(app, inputFor(app, code))],
        ['publish', (app) => runtime.publish(app, { description: 'dep_1' })],
        ['versions', (app) => runtime.versions(app), 'versions of what is there only'],
        ['setAlias', (app) => runtime.setAlias(app, '1')],
        ['setConcurrency', (app) => runtime.setConcurrency(app, 1)],
        ['ensureUrl', (app) => runtime.ensureUrl(app)],
        ['invoke', (app) => runtime.invoke(app, '1', {}, 10_000), 'invocations of what is there only'],
      ];
      for (const [method, call, trait] of calls) {
        const run = async () => {
          await expect(call(nextApp())).rejects.toMatchObject({ name: 'RuntimeError', code: 'not_found' });
        };
        if (trait === undefined) test(`${method} is not_found`, run);
        else check(trait, `${method} is not_found`, run);
      }

      const content = (title: string, call: (app: string) => Promise<unknown>) =>
        [title, async () => expect(await call(nextApp())).toBeUndefined()] as const;
      test(...content('remove is content', (app) => runtime.remove(app)));
      test(...content('findUrl is content', (app) => runtime.findUrl(app)));
      check(
        'removal of a version without a function',
        ...content('removeVersion is content', (app) => runtime.removeVersion(app, '1')),
      );
    });

    test('the list has every function, until it is removed with all that belongs to it', async () => {
      const { app, version } = await release();
      await runtime.ensureUrl(app);
      const found = await runtime.find(app);
      expect(await runtime.list()).toContainEqual({
        app,
        arn: found?.arn,
        codeSha256: found?.codeSha256,
        lastModified: expect.stringMatching(/\d/),
      });
      await runtime.remove(app);
      await runtime.remove(app);
      expect((await runtime.list()).map((each) => each.app)).not.toContain(app);
      expect(await runtime.find(app)).toBeUndefined();
      expect(await runtime.findVersion(app, version)).toBeUndefined();
      expect(await runtime.findAlias(app)).toBeUndefined();
      expect(await runtime.findUrl(app)).toBeUndefined();
    });

    test('the list has more functions than fit on a page', async () => {
      const prefix = nextApp();
      const names = Array.from({ length: 51 }, (_, index) => `${prefix}-${index}`);
      for (const name of names) await runtime.create(name, inputFor(name, await bench.upload(name, SAY('one'))));
      const listed = (await runtime.list()).map((each) => each.app).filter((each) => each.startsWith(`${prefix}-`));
      expect(listed.sort()).toEqual(names.sort());
      for (const name of names) await runtime.remove(name);
    });

    check('account settings', 'the account has its limits, and what is used of them', async () => {
      await create();
      const account = await runtime.account();
      expect(account.functions).toBeGreaterThan(0);
      expect(account.codeBytes).toBeGreaterThan(0);
      expect(account.codeBytesLimit).toBeGreaterThan(account.codeBytes);
      expect(account.concurrency).toBeGreaterThanOrEqual(account.unreservedConcurrency);
      expect(account.unreservedConcurrency).toBeGreaterThan(0);
    });
  });
}
