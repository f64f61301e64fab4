import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { validate } from '../../../lib/http/validate.ts';
import { parseJson } from '../../../lib/k8s/json.ts';

const schema = z.strictObject({ name: z.string(), parts: z.array(z.strictObject({ size: z.int() })) });

test('what is right is handed on', () => {
  const input = { name: 'a', parts: [{ size: 1 }] };
  expect(validate(schema, input, 'body')).toEqual(input);
});

test.each([
  ['an unknown key', '{"name":"a","parts":[],"extra":1}', ['/extra']],
  ['an unknown key inside', '{"name":"a","parts":[{"size":1,"a/b~c":1}]}', ['/parts/0/a~1b~0c']],
  ['every fault at once', '{"parts":[{"size":"x"}],"x":1,"y":2}', ['/name', '/parts/0/size', '/x', '/y']],
  ['a key called __proto__', '{"name":"a","parts":[],"__proto__":1}', ['/__proto__']],
  ['another type altogether', '[]', ['']],
])('%s is refused with a pointer', (_name, text, pointers) => {
  let details: any;
  try {
    validate(schema, parseJson(text), 'body');
  } catch (error) {
    details = error;
  }
  expect(details).toMatchObject({ code: 'BAD_REQUEST' });
  expect(details.message).toMatch(/^the body is not valid: /);
  expect(details.details.errors.map(({ pointer }: any) => pointer)).toEqual(pointers);
  for (const { detail } of details.details.errors) expect(detail).toMatch(/expected|not known/);
});
