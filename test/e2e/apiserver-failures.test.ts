import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FunctionUrlHandler } from '../../lib/http/handler.ts';
import { GROUP, SLOTS } from '../bench/scalegen/slots.ts';
import { renderTarget } from '../bench/scalegen/target.ts';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { type FunctionStandIn, startFunctionStandIn } from './support/function-stand-in.ts';
import { MERGE_PATCH } from './support/kube-client.ts';
import { createTarget, type Roundhouse, startRoundhouse } from './support/roundhouse.ts';
import { startWithoutDatabase, unwellFunctions } from './support/unwell.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

type Version = 'v1' | 'v2';

/** For lists whose watch cache has to be filled anew: the server itself waits 3 s for it. */
const PATIENCE = { timeout: 60_000, interval: 200 };
const runs = canRun('apiserver', APISERVER_TOOLS);

describe.runIf(runs)('what a kubectl user sees', () => {
  let workbench: Workbench;
  let apiserver: Apiserver;
  let roundhouse: Roundhouse;

  beforeAll(async () => {
    workbench = openWorkbench();
    [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
  });

  afterAll(() => workbench.close());

  /** A resource of a version, as kubectl takes it. */
  const resource = (version: Version, kind: string) => `${kind.toLowerCase()}s.${version}.${GROUP}`;
  const path = (version: Version, kind: string, name = '') =>
    `/apis/${GROUP}/${version}/namespaces/default/${kind.toLowerCase()}s/${name}`;
  const render = (version: Version, kind: string, name: string, spec: object) =>
    JSON.stringify({ apiVersion: `${GROUP}/${version}`, kind, metadata: { name, namespace: 'default' }, spec });
  const create = (version: Version, kind: string, name: string, spec: object) =>
    apiserver.ask('POST', path(version, kind), { body: render(version, kind, name, spec) });
  const remove = (kind: string, name: string) => apiserver.ask('DELETE', path('v2', kind, name));

  /** What a command of kubectl prints that fails, from where it tells of the webhook, with the object's uid as `U`. */
  async function fails(args: readonly string[], input?: string): Promise<string> {
    const { code, output } = await apiserver.kubectl(args, input);
    expect(code, output).toBe(1);
    return told(output);
  }

  const told = (output: string) =>
    output
      .trimEnd()
      .replace(/^.*?(?=conversion webhook for )/s, '')
      .replace(/\(uid [0-9a-f-]{36},/, '(uid U,');

  describe('of an object that cannot be converted', () => {
    const KIND = 'Gauge';
    const SIZE = '^(?P<value>\\d+)(?P<unit>[A-Za-z]+)$';
    let count = 0;

    beforeAll(() =>
      createTarget(apiserver, roundhouse, renderTarget({ kind: KIND, hub: 'v2', spokes: { v1: SLOTS }, shared: {} })),
    );

    function failure(name: string, from: Version, reason: string): string {
      const versions = from === 'v1' ? 'v1 -> v2' : 'v2 -> v1';
      const object = `${KIND} default/${name} (uid U, item 0)`;
      return `conversion webhook for ${GROUP}/${from}, Kind=${KIND} failed: ${object}: ${versions}: ${reason}`;
    }

    const rule = (strategy: string, reason: string) =>
      `rule ${SLOTS.findIndex((slot) => slot.strategy === strategy)} ${strategy} at spec.${reason}`;

    test.each([
      ['EnumRemap', { tier: 'nope' }, 'tier: value "nope" is not mapped'],
      ['EnumRemap', { tier: 'x'.repeat(3_000) }, `tier: value "${'x'.repeat(64)}"… is not mapped`],
      ['FieldsToScalar', { cap: 'big' }, `cap: value "big" does not match ${SIZE}`],
    ])('created at the spoke, by %s', async (strategy, spec, reason) => {
      const name = `spoke-${++count}`;
      const output = await fails(['create', '-f', '-'], render('v1', KIND, name, spec));
      expect(output).toBe(failure(name, 'v1', rule(strategy, reason)));
    });

    test.each([
      ['TypeCoerce', { replicas: 'three' }, 'replicas: value "three" is not a number'],
      ['NumericScale', { bytes: 1e308 }, 'bytes: value 1e+308 divided by 0.001 is out of range'],
      ['Quantity', { cpuRequest: '50 Gi' }, 'cpuRequest: value "50 Gi" is not a quantity'],
      ['Duration', { timeout: 'soon' }, 'timeout: value "soon" is not a duration'],
      ['ScalarToFields', { size: 'large' }, `size: value "large" does not match ${SIZE}`],
      ['MapKeyRename', { extra: { app: 'a', application: 'b' } }, 'extra: two keys become "application"'],
      ['ArrayToMapByKey', { zones: [{ cidr: 'a' }] }, 'zones[0]: the key field name is missing'],
      ['ToLabel', { track: 'no label' }, 'track: label value "no label" is not valid for label track'],
    ])('stored at the hub and read at the spoke, by %s', async (strategy, spec, reason) => {
      const name = `hub-${++count}`;
      await create('v2', KIND, name, spec);
      expect(await fails(['get', resource('v1', KIND), name])).toBe(failure(name, 'v2', rule(strategy, reason)));
      await remove(KIND, name);
    });

    test('for the size of its annotations', async () => {
      await create('v2', KIND, 'large', { description: 'x'.repeat(300_000) });
      const reason = 'has 300000 bytes; all annotations have 300026, the limit is 262144';
      const tell = failure('large', 'v2', `annotation ${GROUP}/desc ${reason}`);
      expect(await fails(['get', resource('v1', KIND), 'large'])).toBe(tell);
      await remove(KIND, 'large');
    });

    test.each([
      ['apply', ['apply', '-f', '-']],
      ['apply --server-side', ['apply', '--server-side', '-f', '-']],
      ['replace', ['replace', '-f', '-']],
    ])('in what %s prints', async (_command, args) => {
      const name = `written-${++count}`;
      await create('v1', KIND, name, {});
      const output = await fails(args, render('v1', KIND, name, { tier: 'nope' }));
      expect(output).toBe(failure(name, 'v1', rule('EnumRemap', 'tier: value "nope" is not mapped')));
    });

    test('in a list at the spoke; the rest goes on, and the list too once the object is mended at the hub', async () => {
      const tell = failure('bad', 'v2', rule('EnumRemap', 'tier: value "Golden" is not mapped'));
      const list = async () => told((await apiserver.kubectl(['get', resource('v1', KIND)])).output);
      await create('v2', KIND, 'good', { tier: 'Standard' });
      await create('v2', KIND, 'bad', { tier: 'Golden' });
      await expect.poll(list, PATIENCE).toBe(tell);
      expect(await fails(['get', resource('v1', KIND), 'bad'])).toBe(tell);
      expect(await fails(['delete', resource('v1', KIND), 'bad'])).toBe(tell);

      expect((await apiserver.ask('GET', path('v1', KIND, 'good'))).spec).toMatchObject({ tier: 'std' });
      expect((await apiserver.ask('GET', path('v2', KIND, 'bad'))).spec).toMatchObject({ tier: 'Golden' });
      const { items } = await apiserver.ask('GET', path('v2', KIND));
      expect(items.map(({ metadata }: any) => metadata.name)).toEqual(expect.arrayContaining(['bad', 'good']));
      await create('v1', KIND, 'later', { tier: 'std' });

      const mended = { body: { spec: { tier: 'Standard' } }, type: MERGE_PATCH };
      await apiserver.ask('PATCH', path('v2', KIND, 'bad'), mended);
      await expect.poll(list, PATIENCE).toMatch(/^bad .*\ngood .*\nlater /m);
    });
  });

  describe('of a webhook', () => {
    const NOT_SERVED = 'no conversion is served at this URL: check its endpoint, token and target';
    let standIn: FunctionStandIn;
    let withoutDatabase: FunctionUrlHandler;
    let unwell: ReturnType<typeof unwellFunctions>;
    let away: FunctionStandIn;
    /** What is told while the database is away. The apiserver asks for 10 s; other tests run meanwhile. */
    let outage: Promise<string[]>;

    beforeAll(async () => {
      [standIn, away] = await Promise.all([startFunctionStandIn(roundhouse), startFunctionStandIn(roundhouse)]);
      const { pathToken: token } = roundhouse;
      unwell = unwellFunctions({ target: `lamps.${GROUP}`, endpoint: 'default', token }, standIn.forward);
      withoutDatabase = await startWithoutDatabase();
      await install('Lamp', standIn);
      await install('Lantern', away);
      away.answerWith(withoutDatabase);
      outage = failing('Lantern');
      // A filter may leave out the test that waits for it.
      outage.catch(() => {});
    });

    afterAll(() => Promise.all([standIn?.close(), away?.close()]));

    afterEach(async () => {
      standIn.answerWith(standIn.forward);
      await apiserver.ask('GET', path('v1', 'Lamp', 'stored'));
    });

    async function install(kind: string, { url }: FunctionStandIn): Promise<void> {
      const slots = SLOTS.filter(({ strategy }) => strategy === 'FieldRename');
      const target = renderTarget({ kind, hub: 'v2', spokes: { v1: slots }, shared: {} });
      await createTarget(apiserver, roundhouse, target, url);
      await create('v2', kind, 'stored', {});
    }

    /** What kubectl prints for a read and for a write at the spoke; the storage version and other kinds go on. */
    async function failing(kind = 'Lamp'): Promise<string[]> {
      const outputs = await Promise.all([
        fails(['get', resource('v1', kind), 'stored']),
        fails(['create', '-f', '-'], render('v1', kind, 'new', {})),
      ]);
      await apiserver.ask('GET', path('v2', kind, 'stored'));
      await apiserver.ask('GET', '/api/v1/namespaces/default');
      return outputs.map((output) => output.replace(/^conversion webhook for \S+, Kind=\w+ failed: /, ''));
    }

    function expectNoSecret(outputs: readonly string[]): void {
      const [, rootToken = ''] = /^Bearer token: (\S+)/m.exec(roundhouse.running.output()) ?? [];
      expect(rootToken).not.toBe('');
      for (const secret of [roundhouse.pathToken, rootToken, 'canary']) {
        for (const output of outputs) expect(output).not.toContain(secret);
      }
    }

    test('nothing, at the storage version: such reads make no call', async () => {
      const list = (version: Version) => apiserver.kubectl(['get', resource(version, 'Lamp')]);
      const countCalls = async (read: () => Promise<unknown>) => {
        const before = standIn.calls();
        await read();
        return standIn.calls() - before;
      };
      // Until the watch cache of the spoke has what was written.
      await expect.poll(() => countCalls(() => list('v1')), PATIENCE).toBe(0);
      expect(await countCalls(() => list('v2'))).toBe(0);
      expect(await countCalls(() => apiserver.ask('GET', path('v2', 'Lamp', 'stored')))).toBe(0);
      expect(await countCalls(() => apiserver.ask('GET', path('v1', 'Lamp', 'stored')))).toBe(1);
    });

    test.each<[string, keyof typeof unwell, string | RegExp]>([
      ['with a wrong token: our text', 'wrongToken', NOT_SERVED],
      ['of an unknown endpoint: our text', 'unknownEndpoint', NOT_SERVED],
      ['of a target without a config: our text', 'unknownTarget', NOT_SERVED],
      ['that gets half of a review: our text', 'truncated', /^the body cannot be read: not valid JSON: /],
      ['that gets too much: our text', 'tooLarge', /^the review is \d{7} bytes; the limit is 6291456$/],
      ['that is broken: our text', 'broken', 'internal error, reference id ref-1'],
      ['whose conversion throws: our text', 'throwing', 'internal error, reference id ref-1'],
      [
        'whose plan does not load: our text',
        'unloaded',
        `the plan of lamps.${GROUP} cannot be loaded: revision 1: does not compile`,
      ],
      ['that is slower than its own deadline: our text', 'slow', 'deadline, 0 of 1 done'],
      [
        'that has too much to answer: our text',
        'longWinded',
        /^the converted list is \d{7} bytes; the limit is 6000000: ask for it with a smaller limit$/,
      ],
      [
        "whose URL turns away what is over its own limit: the apiserver's text",
        'tooLargeForUrl',
        'the server responded with the status code 413 but did not return more information',
      ],
      ["whose URL lacks a permission: the apiserver's text", 'forbidden', 'unknown'],
      [
        "whose function is throttled: the apiserver's text",
        'throttled',
        'the server has received too many requests and has asked us to try again later',
      ],
      [
        "whose function has crashed: the apiserver's text",
        'crashed',
        'an error on the server ("unknown") has prevented the request from succeeding',
      ],
    ])('%s', async (_what, name, message) => {
      standIn.answerWith(unwell[name]);
      const outputs = await failing();
      for (const output of outputs) {
        if (typeof message === 'string') expect(output).toBe(message);
        else expect(output).toMatch(message);
      }
      expectNoSecret(outputs);
    });

    test('without its database for a moment: nothing, for the apiserver asks again', async () => {
      const before = standIn.calls();
      standIn.answerWith((event) => (standIn.calls() > before + 2 ? standIn.forward : withoutDatabase)(event));
      const { code } = await apiserver.kubectl(['get', resource('v1', 'Lamp'), 'stored']);
      expect(code).toBe(0);
      expect(standIn.calls()).toBeGreaterThan(before + 2);
    });

    test("that nobody answers at: the apiserver's text, which quotes the URL and so the path token", async () => {
      const url = `${standIn.url}/convert/default/${roundhouse.pathToken}/lamps.${GROUP}`;
      await standIn.close();
      try {
        for (const output of await failing()) expect(output).toContain(`Post "${url}?timeout=30s": `);
        await create('v2', 'Lamp', 'meanwhile', {});
      } finally {
        await standIn.reopen();
      }
      await apiserver.ask('GET', path('v1', 'Lamp', 'meanwhile'));
      const list = () => apiserver.kubectl(['get', resource('v1', 'Lamp')]);
      const output = expect.stringMatching(/^meanwhile .*\nstored /m);
      await expect.poll(list, PATIENCE).toMatchObject({ code: 0, output });
    });

    test("that never answers: the apiserver's text, after as long as the request may take", async () => {
      standIn.answerWith(() => new Promise(() => {}));
      const { status, body } = await apiserver.call('GET', `${path('v1', 'Lamp', 'stored')}?timeout=2s`);
      expect(status).toBe(504);
      expect(body).toContain('Timeout: request did not complete within the allotted timeout');
      const output = await fails(['get', resource('v1', 'Lamp'), 'stored', '--request-timeout=2s']);
      // Server and kubectl have the same deadline; either may see it first.
      expect(output).toMatch(/^Error from server \(Timeout\): |^Unable to connect to the server: .* exceeded/);
      await apiserver.ask('GET', path('v2', 'Lamp', 'stored'));
      expectNoSecret([body, output]);
    });

    test('without its database: our text, once the apiserver is tired of asking again', async () => {
      const outputs = await outage;
      expect(outputs).toEqual(Array(2).fill('no plan could be loaded yet, reference ref-1'));
      expectNoSecret(outputs);
      away.answerWith(away.forward);
      await apiserver.ask('GET', path('v1', 'Lantern', 'stored'));
    });
  });
});
