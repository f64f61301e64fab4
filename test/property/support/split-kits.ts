import * as fc from 'fast-check';
import type { Json } from '../../../lib/engine/json.ts';
import { allOf, entryAt, integers, TYPED } from './json-arbitraries.ts';
import { derived, field, type Kit, LOSSY_RULE, NO_INJECTION, type Piece, RETURNS, text } from './piece.ts';

interface Parts {
  readonly pattern: string;
  readonly template: string;
  readonly left: string;
  readonly right: 'integer' | 'string';
  readonly separator: string;
}

const PARTS: readonly Parts[] = [
  { pattern: '^(?P<a>[a-z]+)-(?P<b>.+)$', template: '{{.a}}-{{.b}}', left: 'gp', right: 'integer', separator: '-' },
  { pattern: '^(?P<a>[a-z]+)(?P<b>[0-9]+)$', template: '{{.a}}{{.b}}', left: 'm', right: 'integer', separator: '' },
  {
    pattern: '^(?<a>[^/]+)/(?<b>.*)$',
    template: '{{.a}}/{{printf "%s" .b}}',
    left: '名',
    right: 'string',
    separator: '/',
  },
];
const NATURALS = integers.filter((value) => value >= 0);
const WORDS = fc.constantFrom('é🙂', 'x y', '5', '__proto__');

/** Both directions of "one string, and the fields that a pattern finds in it". */
function splitting(strategy: 'ScalarToFields' | 'FieldsToScalar'): Kit {
  const hubIsScalar = strategy === 'ScalarToFields';
  return (spot) =>
    fc.constantFrom(...PARTS).map(({ pattern, template, left, right, separator }): Piece => {
      const scalar = field(spot, 't');
      const fields = { a: field(spot, 'u'), b: field(spot, 'v') };
      const rights: fc.Arbitrary<Json> = right === 'integer' ? NATURALS : WORDS;
      const scalarSide: Piece['hub'] = {
        declares: [[scalar, { type: 'string' }]],
        values: entryAt(
          scalar,
          rights.map((value) => `${left}${separator}${value}`),
        ),
      };
      const fieldSide: Piece['hub'] = {
        declares: [
          [fields.a, TYPED.string.node],
          [fields.b, TYPED[right].node],
        ],
        values: allOf(
          fc.constant([[fields.a, left] as const]),
          rights.map((value) => [[fields.b, value] as const]),
        ),
      };
      const paths = { a: text(fields.a), b: text(fields.b) };
      const split = [derived(scalar, fields.a), derived(scalar, fields.b)];
      const join = [derived(fields.a, scalar), derived(fields.b, scalar)];
      return {
        strategy,
        rule: {
          ...LOSSY_RULE,
          strategy,
          ...(hubIsScalar
            ? { scalarToFields: { hubPath: text(scalar), pattern, spokeFields: paths, joinTemplate: template } }
            : { fieldsToScalar: { hubFields: paths, pattern, spokePath: text(scalar), joinTemplate: template } }),
        },
        hub: hubIsScalar ? scalarSide : fieldSide,
        spoke: hubIsScalar ? fieldSide : scalarSide,
        lossless: false,
        returns: RETURNS,
        flows: hubIsScalar ? { hubToSpoke: split, spokeToHub: join } : { hubToSpoke: join, spokeToHub: split },
        injects: NO_INJECTION,
      };
    });
}

export const scalarToFields = splitting('ScalarToFields');
export const fieldsToScalar = splitting('FieldsToScalar');
