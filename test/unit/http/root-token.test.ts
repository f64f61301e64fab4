import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../lib/http/auth.ts';
import { createRootTokenSource } from '../../../lib/http/root-token.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { createTestClock } from '../../support/test-clock.ts';

const FIRST = 'first-canary-token-0001';
const SECOND = 'second-canary-token-002';
const MINUTE = 60_000;
const logs: ReturnType<typeof createMemoryLog>[] = [];

afterEach(() => {
  expect(JSON.stringify(logs.splice(0).map(({ lines }) => lines)), 'a token in a log').not.toContain('canary');
});

/** An authenticator on a secret that the test changes; `fail` makes reads reject. */
function setUp(secret: string | undefined = FIRST) {
  const clock = createTestClock();
  const log = createMemoryLog();
  logs.push(log);
  const state: { secret: string | undefined; reads: number; fail: boolean } = { secret, reads: 0, fail: false };
  const readSecret = async () => {
    state.reads += 1;
    if (state.fail) throw Object.assign(new Error(`canary: ${state.secret}`), { name: 'AccessDeniedException' });
    return state.secret;
  };
  const tokens = createRootTokenSource({ readSecret, clock, log });
  const authenticate = createAuthenticator({ tokens, now: clock.now });
  /** `root`, or the code of the refusal. */
  const ask = async (token: string): Promise<string> => {
    try {
      return (await authenticate(`Bearer ${token}`)).tokenId;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  return { clock, log, state, tokens, authenticate, ask };
}

test('the secret is read when a request first needs it, and only its SHA-256 is kept', async () => {
  const { state, tokens, authenticate } = setUp();
  expect(state.reads).toBe(0);
  await expect(authenticate(undefined)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(state.reads).toBe(0);
  expect(await authenticate(`Bearer ${FIRST}`)).toEqual({ tokenId: 'root', name: 'root', abilities: ['root'] });
  const sha256 = createHash('sha256').update(FIRST).digest('hex');
  expect(await tokens.get()).toEqual([{ id: 'root', sha256, abilities: ['root'] }]);
  expect(state.reads).toBe(1);
});

test('requests that come together share one read', async () => {
  const { state, ask } = setUp();
  expect(await Promise.all([ask(FIRST), ask(FIRST), ask('wrong'), ask(FIRST)])).toEqual([
    'root',
    'root',
    'UNAUTHORIZED',
    'root',
  ]);
  expect(state.reads).toBe(1);
});

describe('what was read', () => {
  test.each([
    ['is used for a minute', MINUTE - 1, 1],
    ['is read again after it', MINUTE, 2],
  ])('%s', async (_name, ms, reads) => {
    const { clock, state, ask } = setUp();
    await ask(FIRST);
    await clock.advance(ms);
    expect(await ask(FIRST)).toBe('root');
    expect(state.reads).toBe(reads);
  });

  test('is replaced by what a minute later is in the secret', async () => {
    const { clock, state, ask } = setUp();
    await ask(FIRST);
    state.secret = SECOND;
    await clock.advance(MINUTE - 1);
    expect(await ask(FIRST)).toBe('root');
    await clock.advance(1);
    expect(await ask(FIRST)).toBe('UNAUTHORIZED');
    expect(await ask(SECOND)).toBe('root');
  });
});

describe('a token that is not known', () => {
  test('is looked for, so that a new secret works at once and the old one ends', async () => {
    const { clock, state, ask } = setUp();
    await ask(FIRST);
    state.secret = SECOND;
    await clock.advance(5_000);
    expect(await ask(SECOND)).toBe('root');
    expect(await ask(FIRST)).toBe('UNAUTHORIZED');
    expect(state.reads).toBe(2);
  });

  test('is not looked for within 5 s of the last read', async () => {
    const { clock, state, ask } = setUp();
    await ask(FIRST);
    state.secret = SECOND;
    await clock.advance(4_999);
    expect(await ask(SECOND)).toBe('UNAUTHORIZED');
    expect(state.reads).toBe(1);
  });

  test.each([
    ['reads go through', false],
    ['reads fail', true],
  ])('makes a read every 5 s at most, however many are tried, while %s', async (_name, fail) => {
    const { clock, state, ask } = setUp();
    await ask(FIRST);
    state.fail = fail;
    // A try every 100 ms for a minute.
    for (let attempt = 0; attempt < 600; attempt++) {
      await clock.advance(100);
      expect(await ask(`guess-${attempt}`)).toBe('UNAUTHORIZED');
    }
    expect(state.reads).toBe(1 + 12);
  });
});

describe('a secret that cannot be read', () => {
  test('from the start makes every request 503 with a time to wait, and is tried every 5 s at most', async () => {
    const { clock, state, ask, authenticate, log } = setUp();
    state.fail = true;
    for (let attempt = 0; attempt < 100; attempt++) {
      expect(await ask(attempt % 2 === 0 ? FIRST : 'wrong')).toBe('UNAVAILABLE');
      await clock.advance(100);
    }
    expect(state.reads).toBe(2);
    const details = { headers: { 'retry-after': '5' } };
    await expect(authenticate(`Bearer ${FIRST}`)).rejects.toMatchObject({ status: 503, details });
    expect(log.lines.slice(0, 1)).toMatchObject([
      { level: 'warn', message: 'root token not read', fields: { error_name: 'AccessDeniedException' } },
    ]);
    state.fail = false;
    await clock.advance(5_000);
    expect(await ask(FIRST)).toBe('root');
  });

  test('leaves the last good token valid for 15 minutes, warns at each read, and then makes it 503', async () => {
    const { clock, state, ask, log } = setUp();
    await ask(FIRST);
    state.fail = true;
    await clock.advance(MINUTE);
    for (let minute = 1; minute < 15; minute++) {
      expect(await ask(FIRST)).toBe('root');
      expect(await ask('wrong')).toBe('UNAUTHORIZED');
      await clock.advance(MINUTE);
    }
    expect(log.lines).toHaveLength(14);
    expect(await ask(FIRST)).toBe('UNAVAILABLE');
    expect(await ask('wrong')).toBe('UNAVAILABLE');
    state.fail = false;
    await clock.advance(5_000);
    expect(await ask(FIRST)).toBe('root');
  });
});

/** A secret whose reads take until they are given up: after `limitMs`, or after two attempts of 3 s. */
function setUpHanging() {
  const clock = createTestClock();
  const state = { hangs: false, reads: 0 };
  const readSecret = async (limitMs = 6_000) => {
    state.reads += 1;
    if (!state.hangs) return FIRST;
    await clock.delay(limitMs);
    throw new Error('TimeoutError');
  };
  const tokens = createRootTokenSource({ readSecret, clock, log: createMemoryLog() });
  const authenticate = createAuthenticator({ tokens, now: clock.now });
  /** What becomes of a request, and how long it waits; in an instance of Lambda there is one at a time. */
  const ask = async (token: string) => {
    const start = clock.now();
    let outcome: string | undefined;
    const request = authenticate(`Bearer ${token}`).then(
      ({ tokenId }) => {
        outcome = tokenId;
      },
      ({ code }) => {
        outcome = code;
      },
    );
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    while (outcome === undefined) await clock.advance(100);
    await request;
    return { outcome, waited: clock.now() - start };
  };
  return { clock, state, ask };
}

describe('Secrets Manager that hangs', () => {
  test.each([
    ['the token that is known, when it is no longer new', FIRST, MINUTE, 'root'],
    ['a token that is not known', 'wrong', 5_000, 'UNAUTHORIZED'],
  ])('holds %s up for 1 s, and then for nothing until 5 s later', async (_name, token, age, outcome) => {
    const { clock, state, ask } = setUpHanging();
    await ask(FIRST);
    await clock.advance(age);
    state.hangs = true;
    expect(await ask(token)).toEqual({ outcome, waited: 1_000 });
    for (let second = 0; second < 5; second++) {
      expect(await ask(token)).toEqual({ outcome, waited: 0 });
      expect(await ask('wrong')).toEqual({ outcome: 'UNAUTHORIZED', waited: 0 });
      await clock.advance(1_000);
    }
    expect(state.reads).toBe(2);
    expect(await ask(token)).toEqual({ outcome, waited: 1_000 });
    state.hangs = false;
    await clock.advance(5_000);
    expect(await ask(FIRST)).toEqual({ outcome: 'root', waited: 0 });
  });

  test('may be waited for when no token is known, once in 5 s', async () => {
    const { clock, state, ask } = setUpHanging();
    state.hangs = true;
    expect(await ask(FIRST)).toEqual({ outcome: 'UNAVAILABLE', waited: 6_000 });
    expect(await ask(FIRST)).toEqual({ outcome: 'UNAVAILABLE', waited: 0 });
    await clock.advance(5_000);
    state.hangs = false;
    expect(await ask(FIRST)).toEqual({ outcome: 'root', waited: 0 });
  });

  test('is waited for in full when the token that is known has got too old', async () => {
    const { clock, state, ask } = setUpHanging();
    await ask(FIRST);
    await clock.advance(15 * MINUTE);
    state.hangs = true;
    expect(await ask(FIRST)).toEqual({ outcome: 'UNAVAILABLE', waited: 6_000 });
  });
});

describe('a secret', () => {
  test.each([
    ['that is empty', ''],
    ['that holds bytes', undefined],
    ['that is shorter than 16 characters', 'fifteen-canary!'],
    ['of white space', ' '.repeat(40)],
  ])('%s is refused as not configured, also as a token', async (_name, secret) => {
    const { ask, log, state } = setUp();
    state.secret = secret;
    expect(await ask(secret ?? '')).toBe('UNAVAILABLE');
    expect(await ask(FIRST)).toBe('UNAVAILABLE');
    expect(log.lines).toMatchObject([{ level: 'error', message: 'root token not configured' }]);
  });

  test('that is emptied ends the token at the next read, and one that is filled works 5 s later', async () => {
    const { clock, state, ask } = setUp();
    await ask(FIRST);
    state.secret = '';
    await clock.advance(MINUTE);
    expect(await ask(FIRST)).toBe('UNAVAILABLE');
    state.secret = SECOND;
    await clock.advance(5_000);
    expect(await ask(SECOND)).toBe('root');
  });

  test('of 16 characters is taken, and white space around it is not part of it', async () => {
    expect(await setUp(' sixteen-canary!!\n').ask('sixteen-canary!!')).toBe('root');
  });
});
