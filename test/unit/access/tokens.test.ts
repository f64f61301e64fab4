import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { ABILITIES, type Ability } from '../../../lib/access/abilities.ts';
import { createTokenService, type StoredToken, type TokenService } from '../../../lib/access/tokens.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

const ROOT = { tokenId: 'root', abilities: ['root'] } as const;
const DAY = 86_400_000;

let clock: TestClock;
let store: MemoryStore;
let tokens: TokenService;
let made: number;

beforeEach(() => {
  clock = createTestClock();
  store = createMemoryStore(clock);
  made = 0;
  tokens = createTokenService({ store, clock, random: (bytes) => new Uint8Array(bytes).fill(++made) });
});

const create = (abilities: readonly string[] = ['read'], maker: any = ROOT, expiresInDays?: number) =>
  tokens.create({ name: 'ci', abilities, expiresInDays }, maker);
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a new token', () => {
  test('has a text of 32 random bytes, of which only the SHA-256 is stored', async () => {
    const { token, text } = await create(['read', 'deploy']);
    expect(text).toBe(`rht_${Buffer.alloc(32, 1).toString('base64url')}`);
    expect(token).toEqual({
      id: `tok_${Buffer.alloc(9, 2).toString('base64url')}`,
      sha256: hash(text),
      name: 'ci',
      abilities: ['read', 'deploy'],
      createdAt: clock.now(),
      createdBy: 'root',
      version: 1,
    });
    expect(JSON.stringify(store.all())).not.toContain(text.slice(4));
    expect(await tokens.find(hash(text))).toEqual(token);
    expect(await tokens.find(hash('other'))).toBeUndefined();
  });

  test('is kept when it has expired, so that its holder can be told so', async () => {
    const { text } = await create(['read'], ROOT, 1);
    await clock.advance(400 * DAY);
    expect(await tokens.find(hash(text))).toMatchObject({ expiresAt: clock.now() - 399 * DAY });
  });

  test.each([undefined, 0])('does not expire when it is to live for %j days', async (days) => {
    expect((await create(['read'], ROOT, days)).token).not.toHaveProperty('expiresAt');
  });

  test('has each ability once', async () => {
    expect((await create(['read', 'write', 'read'])).token.abilities).toEqual(['read', 'write']);
  });

  test.each([
    ['an unknown one', ['read', 'admin'], '/abilities/1', /"admin" is not an ability; there are read, /],
    ['one that an object has by nature', ['constructor'], '/abilities/0', /"constructor" is not an ability/],
    ['none', [], '/abilities', /at least one of read, /],
    ['root and another', ['read', 'root'], '/abilities', /give it alone/],
  ])('cannot have %s', async (_name, abilities, pointer, detail) => {
    await expect(create(abilities)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      details: { errors: [{ pointer, detail: expect.stringMatching(detail) }] },
    });
    expect(store.all()).toEqual([]);
  });
});

describe('a token that ends', () => {
  const limited = async () => {
    const { token } = await create(['write:sensitive', 'read'], ROOT, 2);
    return { tokenId: token.id, abilities: token.abilities };
  };

  test.each([
    ['without an end', undefined],
    ['with 0 days', 0],
    ['with a later end', 3],
  ])('makes none %s', async (_what, days) => {
    const maker = await limited();
    const before = store.all().length;
    await expect(create(['read'], maker, days)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      details: { errors: [{ pointer: '/expires_in_days' }] },
    });
    expect(store.all()).toHaveLength(before);
  });

  test('makes one that ends with it, or before', async () => {
    const maker = await limited();
    await create(['read'], maker, 1);
    await create(['read'], maker, 2);
    expect(await tokens.list()).toHaveLength(3);
  });
});

describe('nobody makes a token that can do more', () => {
  const others = ABILITIES.filter((ability) => ability !== 'root');

  test.each(ABILITIES)('root makes one with %s', async (ability) => {
    expect((await create([ability])).token.abilities).toEqual([ability]);
  });

  test.each(others)('a token without %s makes none with it, one with it does', async (ability) => {
    const makerOf = (abilities: readonly Ability[]) => ({ tokenId: 'm', abilities });
    const without = makerOf(others.filter((other) => other !== ability));
    await expect(create([...others], without)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining(`your token does not have ${ability}.`),
    });
    expect((await create([ability], makerOf([ability]))).token.createdBy).toBe('m');
  });

  test('only root makes root', async () => {
    const maker = { tokenId: 'm', abilities: others };
    await expect(create(['root'], maker)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('the list', () => {
  test('has all of them, oldest first, revoked and expired ones too', async () => {
    const ids = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await create(['read'], ROOT, 1)).token.id);
      await clock.advance(1);
    }
    await tokens.revoke(String(ids[1]));
    await clock.advance(5 * DAY);
    const listed = await tokens.list();
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(listed.map(({ revokedAt }) => revokedAt !== undefined)).toEqual([false, true, false]);
  });
});

describe('revoking', () => {
  test('counts from then on, and twice is as once', async () => {
    const { token } = await create();
    const revokedAt = clock.now();
    await tokens.revoke(token.id);
    await clock.advance(1_000);
    await tokens.revoke(token.id);
    expect(await tokens.find(token.sha256)).toMatchObject({ revokedAt });
  });

  test.each(['tok_x', '', 'root'])('of %j, which was never given, is NOT_FOUND', async (id) => {
    await expect(tokens.revoke(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is not undone by a note of use that was under way', async () => {
    const { token } = await create();
    await clock.advance(DAY);
    await tokens.revoke(token.id);
    await tokens.noteUse(token);
    expect(await tokens.find(token.sha256)).toMatchObject({ revokedAt: clock.now() });
  });

  test('goes through although the token is used at the same time', async () => {
    const { token } = await create();
    await clock.advance(DAY);
    let used = false;
    store.beforeWrite = async () => {
      if (used) return;
      used = true;
      await tokens.noteUse(token);
    };
    await tokens.revoke(token.id);
    expect(await tokens.find(token.sha256)).toMatchObject({ revokedAt: clock.now(), lastUsedAt: clock.now() });
  });
});

describe('its use', () => {
  const find = async (token: StoredToken) => (await tokens.find(token.sha256)) as StoredToken;

  test('is noted at first, and then once in five minutes', async () => {
    const { token } = await create();
    const writes: number[] = [];
    store.beforeWrite = () => void writes.push(clock.now());
    const start = clock.now();
    for (let second = 0; second <= 601; second += 1) {
      await tokens.noteUse(await find(token));
      await clock.advance(1_000);
    }
    expect(writes.map((time) => time - start)).toEqual([0, 300_000, 600_000]);
    expect(await find(token)).toMatchObject({ lastUsedAt: start + 600_000 });
  });

  test('is noted once when many requests come together', async () => {
    const { token } = await create();
    await Promise.all(Array.from({ length: 20 }, () => tokens.noteUse(token)));
    expect(await find(token)).toMatchObject({ version: 2, lastUsedAt: clock.now() });
  });
});
