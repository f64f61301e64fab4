import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { objectsOf } from './support/custom-objects.ts';
import { DATABASES, LOOPS, STEADY } from './support/database-loops.ts';
import { CRDS, createTarget, putConfig, type Roundhouse, startRoundhouse } from './support/roundhouse.ts';
import { waitFor } from './support/wait.ts';
import { startWebhookProxy, type WebhookProxy } from './support/webhook-proxy.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { startWriters, type Writers } from './support/writers.ts';
import { canRun } from './tools/install.ts';

const { crd, config } = DATABASES;
const TARGET = crd.metadata.name;
const { path } = objectsOf(crd);
const lossy = { acknowledgeLossy: true, reason: 'only v1alpha1 has it' };
const flavored = (value: string) => ({
  strategy: 'Constant',
  ...lossy,
  constant: { path: 'spec.flavor', existsOn: 'Spoke', value },
});
const debugged = {
  strategy: 'DefaultValue',
  ...lossy,
  defaultValue: { path: 'spec.debug', existsOn: 'Spoke', default: true },
};

/** The config with other rules of v1alpha1 in the place of its own, by the strategy of those. */
function withRules(rules: Readonly<Record<string, object>>): any {
  const changed = structuredClone(config);
  const spoke = changed.spec.spokes.find(({ version }: any) => version === 'v1alpha1');
  spoke.rules = spoke.rules.map((rule: any) => rules[rule.strategy] ?? rule);
  return changed;
}

describe.runIf(canRun('apiserver', APISERVER_TOOLS))('while writers run', () => {
  let workbench: Workbench;
  let apiserver: Apiserver;
  let roundhouse: Roundhouse;
  let proxy: WebhookProxy;
  let writers: Writers;
  /** Reviews by the path token that they came with. */
  const reviews = new Map<string, number>();

  beforeAll(async () => {
    workbench = openWorkbench();
    [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
    proxy = await startWebhookProxy(roundhouse);
    proxy.behave((call, forward) => {
      const token = call.path.split('/')[3] ?? '';
      reviews.set(token, reviewsWith(token) + 1);
      return forward(call);
    });
    await createTarget(apiserver, roundhouse, { crd, config }, proxy.url);
    await apiserver.ask('POST', path('v1'), { body: STEADY });
    writers = startWriters(apiserver, roundhouse.running, LOOPS);
  });
  afterAll(async () => {
    await writers?.stop();
    await proxy?.close();
    await workbench.close();
  });

  const reviewsWith = (token: string) => reviews.get(token) ?? 0;
  const putRules = (rules: Readonly<Record<string, object>>) =>
    putConfig(roundhouse, { crd, config: withRules(rules) });
  const readSteady = async () => (await apiserver.ask('GET', path('v1alpha1', STEADY.metadata.name))).spec;

  /** Makes a change and waits for its effect; each writer makes calls before, meanwhile and afterwards. */
  async function change(make: () => Promise<unknown>, hasEffect: () => Promise<boolean>): Promise<void> {
    await writers.nextRound();
    const meanwhile = await writers.countDuring(async () => {
      await make();
      await waitFor('the effect', roundhouse.running, async () => (await hasEffect()) || undefined);
    });
    await writers.nextRound();
    for (const name of Object.keys(LOOPS)) expect(meanwhile[name]).toBeGreaterThan(0);
    expect(writers.failures()).toEqual([]);
  }

  test('activates revisions, one after the other', async () => {
    for (const value of ['modern', 'baroque', 'gothic']) {
      await change(
        () => putRules({ Constant: flavored(value) }),
        async () => (await readSteady()).flavor === value,
      );
    }
  });

  test('activates a revision with another rule, and goes back', async () => {
    const { revision } = await roundhouse.api('GET', `/configs/${TARGET}`);
    await change(
      () => putRules({ Delete: debugged }),
      async () => (await readSteady()).debug === true,
    );
    await change(
      () => roundhouse.api('POST', `/configs/${TARGET}/rollback`, { revision }),
      async () => (await readSteady()).debug === undefined,
    );
  });

  test('refuses a config and changes nothing', async () => {
    const before = [await roundhouse.api('GET', `/configs/${TARGET}`), await readSteady()];
    await change(
      () => expect(putRules({ Constant: flavored('none'), Delete: lossy })).rejects.toThrow(/: 422 /),
      async () => true,
    );
    expect([await roundhouse.api('GET', `/configs/${TARGET}`), await readSteady()]).toEqual(before);
  });

  test('rotates the path token: the CRD has the old one, then the new one, and then the old one ends', async () => {
    const rotate = async (): Promise<string> => (await roundhouse.api('POST', '/endpoints/default/rotate')).token;
    const old = roundhouse.pathToken;
    let token = '';
    await change(
      async () => {
        token = await rotate();
      },
      async () => token !== '',
    );
    expect([...reviews.keys()]).toEqual([old]);

    await change(
      () => pointCrd(token),
      async () => reviewsWith(token) > 0,
    );
    // Caches that were filled with the old one live on for a second or more.
    const isLeft = async () => {
      const before = reviewsWith(old);
      await writers.nextRound();
      return reviewsWith(old) === before || undefined;
    };
    await waitFor('no review with the old token', roundhouse.running, isLeft);
    const last = reviewsWith(old);
    await change(rotate, async () => true);
    expect(reviewsWith(old)).toBe(last);
  });

  test('would notice a call that fails: with a token in the CRD that has ended', async () => {
    await roundhouse.api('POST', '/endpoints/default/rotate', { graceSeconds: 0 });
    const notice = () => writers.failures().find((text) => text.includes('no conversion is served at this URL'));
    await waitFor('a failure', roundhouse.running, notice);
  });

  /** As the README says, but for the URL. */
  async function pointCrd(token: string): Promise<void> {
    const patch = await roundhouse.api('GET', `/configs/${TARGET}/patch?token=${token}`);
    const { clientConfig } = patch.spec.conversion.webhook;
    clientConfig.url = clientConfig.url.replace(roundhouse.url, proxy.url);
    const { status, body } = await apiserver.apply(`${CRDS}/${TARGET}`, patch, { manager: 'roundhouse', force: true });
    expect(status, body.message).toBe(200);
  }
});
