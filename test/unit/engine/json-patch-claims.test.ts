import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/engine/json.ts';
import { compilePlan, openMap, spec, string } from '../../support/plan.ts';

const whole = (fields: JsonObject): JsonObject => ({ kind: 'W', metadata: { name: 'w', uid: 'u' }, spec: fields });

async function plan(jsonPatch: JsonObject) {
  const fields = spec({ m: openMap, to: string });
  return compilePlan({
    hub: fields,
    spoke: fields,
    rules: [{ strategy: 'JSONPatch', acknowledgeLossy: true, reason: 'a test', jsonPatch }],
  });
}

const into = { op: 'move', from: '/spec/m/k', path: '/spec/to' };
const named = { op: 'add', path: '/spec/m', value: { fresh: 1 } };

test.each([
  ['leads into a map', into, named],
  ['leads into it only to test it', { op: 'test', path: '/spec/m/k', value: 'a' }, named],
  ['names it, and another leads into it', named, into],
])('a direction that %s acts the same as hub and as spoke', async (_what, one, other) => {
  const [down, up] = await Promise.all([
    plan({ hubToSpoke: [one], spokeToHub: [other] }),
    plan({ hubToSpoke: [other], spokeToHub: [one] }),
  ]);
  const object = whole({ m: { k: 'a', rest: 'b' } });
  expect(down.toSpoke(object)['spec']).toEqual(up.toHub(object)['spec']);
  expect(down.toHub(object)['spec']).toEqual(up.toSpoke(object)['spec']);
});

test('a map that one operation names is the rule’s alone, whichever operation comes first', async () => {
  for (const patch of [
    { hubToSpoke: [into], spokeToHub: [named] },
    { hubToSpoke: [into], spokeToHub: [{ op: 'copy', from: '/spec/to', path: '/spec/m/k' }, named] },
  ]) {
    const { toSpoke } = await plan(patch);
    expect(toSpoke(whole({ m: { k: 'a', rest: 'b' } }))['spec']).toEqual({ to: 'a' });
  }
});
