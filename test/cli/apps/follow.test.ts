import { describe, expect, test } from 'vitest';
import type { Apps } from '../../../lib/cli/apps/api.ts';
import { follow } from '../../../lib/cli/apps/follow.ts';
import { explainEnd, tellOutcome } from '../../../lib/cli/apps/outcome.ts';
import { settle } from '../../../lib/cli/apps/settle.ts';
import type { App, Attempt } from '../../../lib/cli/apps/shapes.ts';
import { takeTurn } from '../../../lib/cli/apps/turn.ts';
import type { Io } from '../../../lib/cli/io.ts';
import { AppError } from '../../../lib/errors.ts';

/** An io whose clock only moves when something waits; with a terminal of 40 columns, or a pipe. */
function scriptedIo({ tty = false } = {}) {
  let [out, err, time] = ['', '', 0];
  const waits: number[] = [];
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    terminal: tty ? { err: { columns: 40 } } : {},
    colour: false,
    now: () => time,
    wait: async (ms: number) => {
      waits.push(ms);
      time += ms;
    },
  } as unknown as Io;
  return { io, waits, said: () => ({ out, err }) };
}

const attempt = (more: Partial<Attempt>): Attempt => ({ id: 'dep_1', status: 'running', ...more });
const step = (name: string, from: number, to?: number, detail?: string) => ({
  step: name,
  started_at: new Date(from).toISOString(),
  ...(to !== undefined && { finished_at: new Date(to).toISOString() }),
  ...(detail !== undefined && { detail }),
});

/** Answers each question with the next of a list, the last one for ever. */
function scriptedApps(answers: readonly (Attempt | Error)[]) {
  let asked = 0;
  const next = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer as Attempt;
  };
  return { attempt: next, get: async () => ({ url: 'https://app.example.org/' }) } as unknown as Apps;
}

const LIFE = [
  attempt({ status: 'queued' }),
  attempt({ step: 'prepare', steps: [step('prepare', 0)] }),
  attempt({
    step: 'gate',
    steps: [step('prepare', 0, 400), step('publish', 400, 1900, 'version 7'), step('gate', 1900)],
  }),
  attempt({
    status: 'succeeded',
    release: 3,
    steps: [step('prepare', 0, 400), step('publish', 400, 1900, 'version 7'), step('gate', 1900, 63_900)],
    started_at: new Date(0).toISOString(),
    finished_at: new Date(64_000).toISOString(),
  }),
];

describe('an attempt that changes while it is watched', () => {
  test('is a line for each step that is done, where nobody is at a terminal', async () => {
    const { io, said } = scriptedIo();
    const last = await follow(scriptedApps(LIFE), 'shop', 'dep_1', 60_000, io);
    expect(last.status).toBe('succeeded');
    expect(said()).toEqual({ out: '', err: '  prepare: 400 ms\n  publish: 1.5 s, version 7\n  gate: 1 min 2 s\n' });
  });

  test('is one line at a terminal, which is gone at the end', async () => {
    const { io, said } = scriptedIo({ tty: true });
    await follow(scriptedApps(LIFE), 'shop', 'dep_1', 60_000, io);
    expect(said().err).toBe('\r\u001b[Kshop: dep_1 is at prepare, 1 s\r\u001b[Kshop: dep_1 is at gate, 2 s\r\u001b[K');
  });

  test.each(['succeeded', 'failed', 'canceled', 'superseded'])('is over when it has %s', async (status) => {
    const { io, waits } = scriptedIo();
    expect(await follow(scriptedApps([attempt({ status })]), 'shop', 'dep_1', 60_000, io)).toMatchObject({ status });
    expect(waits).toEqual([]);
  });

  test('is not waited for while its app is stopped', async () => {
    const held = attempt({ status: 'queued', wait_reason: 'suspended' });
    const { io, said } = scriptedIo();
    const apps = scriptedApps([held]);
    expect(await tellOutcome(apps, 'shop', await follow(apps, 'shop', 'dep_1', 60_000, io), 'text', io)).toBe(0);
    expect(said().out).toMatch(/dep_1 waits, because the app is stopped: `roundhouse apps start shop`/);
  });

  test.each([
    ['for ever running', attempt({ step: 'gate' }), 'dep_1 of shop is at gate after 10 s'],
    ['of a status that nobody knows', attempt({ status: 'ascended' }), 'dep_1 of shop is ascended after 10 s'],
    [
      'of ever more steps',
      attempt({ steps: Array.from({ length: 500 }, () => step('x', 0)) }),
      'dep_1 of shop is running',
    ],
  ])('is given up %s, and it is said how to look on', async (_what, last, reason) => {
    const { io, waits } = scriptedIo();
    const lost = follow(scriptedApps([last]), 'shop', 'dep_1', 10_000, io);
    await expect(lost).rejects.toThrow(`${reason}`);
    await expect(lost).rejects.toThrow('It goes on: `roundhouse deploys watch shop dep_1` looks on');
    expect(waits).toHaveLength(10);
  });

  test('goes on when looking fails, which is said', async () => {
    const { io } = scriptedIo();
    const apps = scriptedApps([attempt({}), new AppError('UNAVAILABLE', 'cannot reach it')]);
    await expect(follow(apps, 'shop', 'dep_1', 60_000, io)).rejects.toThrow(
      'cannot reach it\n  The deploy itself goes on: `roundhouse deploys watch shop dep_1` looks on',
    );
  });

  test('whose steps become fewer says none twice', async () => {
    const { io, said } = scriptedIo();
    const steps = [step('prepare', 0, 1), step('publish', 1, 2)];
    const answers = [attempt({ steps }), attempt({ steps: steps.slice(0, 1) }), attempt({ status: 'failed', steps })];
    await follow(scriptedApps(answers), 'shop', 'dep_1', 60_000, io);
    expect(said().err).toBe('  prepare: 1 ms\n  publish: 1 ms\n');
  });

  test('has nothing in it that a terminal obeys', async () => {
    const hostile = '\u001b[2J\r::add-mask::x\u009b';
    const failure = { code: hostile, cause: hostile, log_excerpt: `${hostile}\n::x`, suggested_fix: hostile };
    const last = attempt({ id: hostile, status: 'failed', steps: [step(hostile, 0, 1, hostile)], failure });
    const { io, said } = scriptedIo();
    const apps = scriptedApps([last]);
    expect(await tellOutcome(apps, 'shop', await follow(apps, 'shop', 'dep_1', 1000, io), 'text', io)).toBe(1);
    expect(said().err).not.toMatch(/[^\P{Cc}\n]|^::/mu);
  });
});

test.each<[string, Partial<Attempt>, string]>([
  [
    'failed',
    {
      status: 'failed',
      step: 'gate',
      failure: {
        code: 'oom_killed',
        cause: 'it ran out of memory',
        failing_step: 'gate',
        log_excerpt: 'one\n\ntwo\n',
        suggested_fix: 'Give it more.',
      },
    },
    'shop: dep_1 failed at gate: it ran out of memory (oom_killed)\n  | one\n  | two\nfix: Give it more.\n',
  ],
  ['failed without a word', { status: 'failed' }, 'shop: dep_1 failed: no cause is known\n'],
  ['failed as an old server says it', { status: 'failed', error: 'boom' }, 'shop: dep_1 failed: boom\n'],
  ['superseded', { status: 'superseded', superseded_by: 'dep_2' }, 'shop: dep_1 was superseded by dep_2\n'],
  ['canceled', { status: 'canceled' }, 'shop: dep_1 was canceled\n'],
])('an attempt that was %s tells why, and what to do', (_what, more, text) => {
  expect(explainEnd('shop', attempt(more))).toBe(text);
});

test('with -o json the attempt is the data, also of a failure, which is still told', async () => {
  const { io, said } = scriptedIo();
  const failed = attempt({ status: 'failed', error: 'boom' });
  expect(await tellOutcome(scriptedApps([]), 'shop', failed, 'json', io)).toBe(1);
  expect(JSON.parse(said().out)).toEqual(failed);
  expect(said().err).toBe('shop: dep_1 failed: boom\n');
});

describe('a turn', () => {
  const busy = (after?: string) =>
    new AppError(
      'CONFLICT',
      'It is held by w1 until 00:01.',
      after === undefined ? {} : { headers: { 'retry-after': after } },
    );
  const app = { name: 'shop' } as App;
  const begin = (answers: readonly (App | Error)[]) => {
    const keys: string[] = [];
    const run = async ({ idempotencyKey }: { readonly idempotencyKey: string }) => {
      const answer = answers[Math.min(keys.length, answers.length - 1)];
      keys.push(idempotencyKey);
      if (answer instanceof Error) throw answer;
      return answer as App;
    };
    return { run, keys };
  };
  const patience = { wait: true, limitMs: 30_000 };

  test('is taken at once when nothing runs', async () => {
    const { io, waits } = scriptedIo();
    expect(await takeTurn(scriptedApps([]), 'shop', begin([app]).run, patience, io)).toBe(app);
    expect(waits).toEqual([]);
  });

  test('comes when the deploy before is over; all tries are one change', async () => {
    const { io, waits, said } = scriptedIo();
    const { run, keys } = begin([busy('37'), app]);
    const before = [attempt({}), attempt({}), attempt({ status: 'succeeded' })];
    await takeTurn(scriptedApps(before), 'shop', run, patience, io);
    expect(new Set(keys)).toHaveProperty('size', 1);
    expect(keys).toHaveLength(2);
    expect(waits).toEqual([2000, 2000, 2000]);
    expect(said().err).toBe('waiting: It is held by w1 until 00:01.\n');
  });

  test('is tried again when nobody may look, or all is over and it is still held', async () => {
    for (const found of [new AppError('FORBIDDEN', 'no'), attempt({ status: 'failed' })]) {
      const { io, waits, said } = scriptedIo();
      await takeTurn(scriptedApps([found]), 'shop', begin([busy('1'), busy('1'), app]).run, patience, io);
      expect(waits).toEqual([2000, 2000]);
      expect(said().err.split('\n')).toHaveLength(2);
    }
  });

  test('is given up after its time', async () => {
    const { io } = scriptedIo();
    const given = takeTurn(scriptedApps([attempt({})]), 'shop', begin([busy('9')]).run, patience, io);
    await expect(given).rejects.toThrow('It is held by w1 until 00:01. That was so for 30 s');
  });

  test('is not waited for with --no-wait, nor when no time is given', async () => {
    const { io, waits } = scriptedIo();
    const refused = { ...patience, wait: false };
    await expect(takeTurn(scriptedApps([]), 'shop', begin([busy('9')]).run, refused, io)).rejects.toThrow(
      'It is held by w1 until 00:01. Leave --no-wait out to wait for it',
    );
    await expect(takeTurn(scriptedApps([]), 'shop', begin([busy()]).run, patience, io)).rejects.toThrow(/00:01\.$/);
    expect(waits).toEqual([]);
  });
});

test('what does not settle is given up, with where it was last', async () => {
  const { io, waits } = scriptedIo();
  let looks = 0;
  const never = settle(
    { what: 'stop shop', limitMs: 3000, look: async () => ++looks, isDone: () => false, placeOf: (n) => `look ${n}` },
    io,
  );
  await expect(never).rejects.toThrow('stop shop: not done after 3 s: look 4. It goes on by itself');
  expect(waits).toHaveLength(3);
});
