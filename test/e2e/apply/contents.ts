import type { JsonObject } from '../../../lib/engine/json.ts';
import type { Side } from '../../../lib/engine/strategy.ts';
import { GROUP } from '../../bench/scalegen/slots.ts';

/** What a manager applies at one version: parts of `spec` and of `metadata`. */
export interface Form {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The same content at both versions, written out by hand. */
export interface Content {
  readonly hub: Form;
  readonly spoke: Form;
  /** Fields of `spec` that are sent at the spoke besides, and that the rule drops for good. */
  readonly dropped?: Readonly<Record<string, unknown>>;
}

/** What the managers apply, one after the other. */
export interface Contents {
  readonly full: Content;
  /** What is left of `full` when one of its fields is dropped. Absent where it has one field only. */
  readonly less?: Content;
  /** The only side that has several fields; both have when absent. */
  readonly lessAt?: Side;
  /** Each field of `full` with another value; absent where there is nothing to have a conflict about. */
  readonly other?: Content;
  /** In place of the slot's. */
  readonly rule?: JsonObject;
}

type Spec = NonNullable<Form['spec']>;
export const specs = (hub: Spec, spoke: Spec): Content => ({ hub: { spec: hub }, spoke: { spec: spoke } });
const alike = (spec: Spec): Content => specs(spec, spec);
const describe = (text: string): Content => ({
  hub: { spec: { description: text } },
  spoke: { annotations: { [`${GROUP}/desc`]: text } },
});
const track = (text: string): Content => ({ hub: { spec: { track: text } }, spoke: { labels: { track: text } } });
const note = (text: string): Content => ({
  hub: { annotations: { [`${GROUP}/note`]: text } },
  spoke: { spec: { note: text } },
});
const lane = (text: string): Content => ({ hub: { labels: { lane: text } }, spoke: { spec: { lane: text } } });

/** The slot knows one value; a conflict takes two. */
const TIERS = {
  enumRemap: {
    path: 'spec.tier',
    mapping: [
      { hub: 'Standard', spoke: 'std' },
      { hub: 'Large', spoke: 'lrg' },
    ],
  },
};

/** By strategy. */
export const CONTENTS: Readonly<Record<string, Contents>> = {
  FieldRename: {
    full: specs({ storageGB: '10' }, { storageSize: '10' }),
    other: specs({ storageGB: '20' }, { storageSize: '20' }),
  },
  TypeCoerce: { full: specs({ replicas: '3' }, { replicas: 3 }), other: specs({ replicas: '4' }, { replicas: 4 }) },
  EnumRemap: {
    rule: TIERS,
    full: specs({ tier: 'Standard' }, { tier: 'std' }),
    other: specs({ tier: 'Large' }, { tier: 'lrg' }),
  },
  NumericScale: {
    full: specs({ bytes: 1 }, { kilobytes: 1000 }),
    other: specs({ bytes: 2 }, { kilobytes: 2000 }),
  },
  ListJoin: {
    full: specs({ tags: ['a', 'b'] }, { tagsCSV: 'a,b' }),
    less: specs({ tags: ['b'] }, { tagsCSV: 'b' }),
    other: specs({ tags: ['c'] }, { tagsCSV: 'c' }),
  },
  ListSplit: {
    full: specs({ csv: 'a,b' }, { items: ['a', 'b'] }),
    less: specs({ csv: 'b' }, { items: ['b'] }),
    other: specs({ csv: 'c' }, { items: ['c'] }),
  },
  Quantity: {
    full: specs({ cpuRequest: '500m' }, { cpuMillis: 500 }),
    other: specs({ cpuRequest: '2' }, { cpuMillis: 2000 }),
  },
  Duration: {
    full: specs({ timeout: '5s' }, { timeoutSeconds: 5 }),
    other: specs({ timeout: '1m0s' }, { timeoutSeconds: 60 }),
  },
  MapKeyRename: {
    full: specs({ extra: { app: 'w', keep: 'yes' } }, { extra: { application: 'w', keep: 'yes' } }),
    less: alike({ extra: { keep: 'yes' } }),
    other: specs({ extra: { app: 'x', keep: 'no' } }, { extra: { application: 'x', keep: 'no' } }),
  },
  ArrayToMapByKey: {
    full: specs(
      { zones: [{ name: 'a', cidr: '10.0.0.0/24' }, { name: 'b' }] },
      { zones: { a: { cidr: '10.0.0.0/24' }, b: {} } },
    ),
    less: specs({ zones: [{ name: 'a', cidr: '10.0.0.0/24' }] }, { zones: { a: { cidr: '10.0.0.0/24' } } }),
    other: specs(
      {
        zones: [
          { name: 'a', cidr: '10.1.0.0/24' },
          { name: 'b', cidr: '10.2.0.0/24' },
        ],
      },
      { zones: { a: { cidr: '10.1.0.0/24' }, b: { cidr: '10.2.0.0/24' } } },
    ),
  },
  MapToArrayByKey: {
    full: specs(
      { limits: { a: { cidr: '10.0.0.0/24' }, b: { cidr: '10.0.1.0/24' } } },
      {
        limits: [
          { name: 'a', cidr: '10.0.0.0/24' },
          { name: 'b', cidr: '10.0.1.0/24' },
        ],
      },
    ),
    less: specs({ limits: { a: { cidr: '10.0.0.0/24' } } }, { limits: [{ name: 'a', cidr: '10.0.0.0/24' }] }),
    other: specs(
      { limits: { a: { cidr: '10.1.0.0/24' }, b: { cidr: '10.2.0.0/24' } } },
      {
        limits: [
          { name: 'a', cidr: '10.1.0.0/24' },
          { name: 'b', cidr: '10.2.0.0/24' },
        ],
      },
    ),
  },
  ForEach: {
    full: specs(
      { volumes: [{ name: 'd0', sizeGB: 10 }, { name: 'd1' }] },
      { volumes: [{ name: 'd0', size: 10 }, { name: 'd1' }] },
    ),
    less: specs({ volumes: [{ name: 'd0', sizeGB: 10 }] }, { volumes: [{ name: 'd0', size: 10 }] }),
    other: specs({ volumes: [{ name: 'd9', sizeGB: 90 }] }, { volumes: [{ name: 'd9', size: 90 }] }),
  },
  ScalarToObject: {
    full: specs({ ver: '1' }, { ver: { major: '1' } }),
    other: specs({ ver: '2' }, { ver: { major: '2' } }),
  },
  ObjectToScalar: {
    full: specs({ rel: { major: '1' } }, { rel: '1' }),
    other: specs({ rel: { major: '2' } }, { rel: '2' }),
  },
  SingletonArrayToObject: {
    full: specs({ zoneList: [{ name: 'a' }] }, { zone: { name: 'a' } }),
    other: specs({ zoneList: [{ name: 'b' }] }, { zone: { name: 'b' } }),
  },
  ObjectToSingletonArray: {
    full: specs({ primary: { name: 'a' } }, { primaries: [{ name: 'a' }] }),
    other: specs({ primary: { name: 'b' } }, { primaries: [{ name: 'b' }] }),
  },
  FieldsToMap: {
    full: specs({ env: 'dev', team: 'core' }, { labels: { env: 'dev', team: 'core' } }),
    less: specs({ team: 'core' }, { labels: { team: 'core' } }),
    other: specs({ env: 'prod', team: 'ops' }, { labels: { env: 'prod', team: 'ops' } }),
  },
  MapToFields: {
    full: specs({ meta: { owner: 'a', group: 'b' } }, { owner: 'a', group: 'b' }),
    less: specs({ meta: { group: 'b' } }, { group: 'b' }),
    other: specs({ meta: { owner: 'c', group: 'd' } }, { owner: 'c', group: 'd' }),
  },
  ToAnnotation: { full: describe('text'), other: describe('another') },
  ToLabel: { full: track('fast'), other: track('slow') },
  FromAnnotation: { full: note('hi'), other: note('ho') },
  FromLabel: { full: lane('gold'), other: lane('iron') },
  DefaultValue: { full: specs({ minReplicas: 7 }, {}) },
  Constant: { full: specs({ fixed: 'y' }, {}) },
  Delete: { full: { ...alike({}), dropped: { debug: true } } },
  JSONPatch: { full: specs({ flag: 'hub' }, { flag: 'spoke' }), other: alike({ flag: 'other' }) },
  ScalarToFields: {
    full: specs({ size: '10Gi' }, { sizeValue: '10', sizeUnit: 'Gi' }),
    less: specs({}, { sizeValue: '10' }),
    lessAt: 'spoke',
    other: specs({ size: '5Mi' }, { sizeValue: '5', sizeUnit: 'Mi' }),
  },
  FieldsToScalar: {
    full: specs({ capValue: '10', capUnit: 'Gi' }, { cap: '10Gi' }),
    less: specs({ capValue: '10' }, {}),
    lessAt: 'hub',
    other: specs({ capValue: '5', capUnit: 'Mi' }, { cap: '5Mi' }),
  },
  CEL: {
    full: specs({ packed: 1025 }, { bitHigh: 4, bitLow: 1 }),
    less: specs({}, { bitHigh: 4 }),
    lessAt: 'spoke',
    other: specs({ packed: 514 }, { bitHigh: 2, bitLow: 2 }),
  },
};
