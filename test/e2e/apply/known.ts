import type { Failures } from './table.ts';

export interface Known {
  readonly failures: Failures;
  /** Of the warnings of the analysis that tell what server-side apply cannot do. */
  readonly codes: readonly string[];
  /** It is the loss that the rule acknowledges. */
  readonly lossy?: boolean;
}

/** Warnings about server-side apply; of all others a config may have as many as it likes. */
export const FORETELLING: readonly string[] = ['DROPPED_PART_STAYS', 'PARTS_NEED_EACH_OTHER', 'WRITES_WITHOUT_SOURCE'];

const always = (...steps: readonly string[]): Failures => Object.fromEntries(steps.map((step) => [step, 'always']));
const stays = (...steps: readonly string[]): Known => ({ failures: always(...steps), codes: ['DROPPED_PART_STAYS'] });
const WITHOUT_SOURCE = 'WRITES_WITHOUT_SOURCE';
/** Of a field that the spoke has no place for, and that the rule writes: it goes in fragments only (R01, rule b). */
const INJECTED: Failures = {
  'hub again': 'with a label',
  'hub drop one': 'without a label',
  'hub drop all': 'without a label',
};

/** What cannot work, and the warnings that say so beforehand; rows that are not here have neither. */
export const KNOWN: Readonly<Record<string, Known>> = {
  ArrayToMapByKey: stays('spoke drop one', 'spoke give up'),
  MapToArrayByKey: stays('hub drop one', 'hub give up'),
  DefaultValue: { failures: { ...INJECTED, 'hub apply': 'always' }, codes: [WITHOUT_SOURCE], lossy: true },
  Constant: { failures: { ...INJECTED, 'hub apply': 'always' }, codes: [WITHOUT_SOURCE], lossy: true },
  JSONPatch: {
    failures: always(
      ...['drop one', 'drop all', 'conflict', 'force', 'give up'].flatMap((step) => [`spoke ${step}`, `hub ${step}`]),
    ),
    codes: [WITHOUT_SOURCE],
  },
  ScalarToFields: { failures: always('spoke drop one'), codes: ['PARTS_NEED_EACH_OTHER'] },
  FieldsToScalar: { failures: always('hub drop one'), codes: ['PARTS_NEED_EACH_OTHER'] },
  CEL: { failures: always('spoke drop one'), codes: ['PARTS_NEED_EACH_OTHER', WITHOUT_SOURCE] },
  'SingletonArrayToObject (two fields)': stays('spoke drop one'),
  'ObjectToSingletonArray (two fields)': stays('hub drop one'),
  'ListJoin (set)': stays('hub drop one'),
  'ToAnnotation (object)': stays('hub drop one'),
  'FieldRename (atomic and keyed list)': stays('spoke drop one'),
  'FieldsToMap (atomic map)': stays('hub drop one', 'hub drop all'),
  'MapToFields (atomic map)': stays('spoke drop one', 'spoke drop all'),
  'ObjectToScalar (default)': {
    failures: { 'hub again': 'with a label', 'hub drop one': 'without a label' },
    codes: [WITHOUT_SOURCE],
  },
  'Delete (at the hub)': { failures: always('hub apply', 'hub again'), codes: [], lossy: true },
  'JSONPatch (add at the hub)': { failures: INJECTED, codes: [WITHOUT_SOURCE] },
  'CEL (a constant)': { failures: INJECTED, codes: [WITHOUT_SOURCE] },
};
