import { getOwn, isObject, type JsonObject } from '../../../engine/json.ts';
import { leavesOf, lookup, propertiesOf } from '../../../engine/schema.ts';
import { type Conversion, schemaOf, type VersionPair } from '../conversion.ts';
import { asStored } from '../sample.ts';
import { type Edit, isRefused, withEdit } from './checks.ts';
import { type DomainTree, domainTree, isBounded, type Range, subtree } from './domains.ts';
import { valuesOf } from './generate.ts';
import type { Fc, Values } from './values.ts';

/** Of which the first is made that is allowed. */
const MAX_EDITS = 8;
const MAX_SET = 3;

export type Way = VersionPair & { readonly edited: boolean };

export interface Example {
  readonly object: JsonObject;
  readonly edits: readonly Edit[];
}

/** Whether a rule of the way carries less than the schema allows. */
export function hasDomains(conversion: Conversion, way: Way): boolean {
  const { rules, schemas, own } = sidesOf(conversion, way);
  return isBounded(domainTree(rules, schemas, own, 'within'));
}

/**
 * Objects of a version that its schema allows, within what the rules carry or beyond it. Random fields alone would leave those that lie deep out, so a
 * few are set in each object, whichever: each has the same chance.
 */
export function examplesOf(fc: Fc, conversion: Conversion, way: Way, range: Range): Values<Example> {
  const { from, edited } = way;
  const { rules, schemas, own, other } = sidesOf(conversion, way);
  const domains = domainTree(rules, schemas, own, range);
  const objects = fc
    .tuple(
      wholeObjects(fc, conversion, schemas[own], from, domains),
      editsOf(fc, schemas[own], domains, { maxLength: MAX_SET }),
    )
    .map(([object, sets]) => sets.reduce((before, set) => setIfAllowed(conversion, before, set, from), object));
  if (!edited) return objects.map((object) => ({ object, edits: [] }));
  const edits = editsOf(fc, schemas[other], domainTree(rules, schemas, other, range), {
    minLength: 1,
    maxLength: MAX_EDITS,
  });
  return fc.tuple(objects, edits).map(([object, some]) => ({ object, edits: some }));
}

function sidesOf(conversion: Conversion, { from, to }: Way) {
  const spoke = from === conversion.router.hub ? to : from;
  const rules = conversion.spokes.find(({ version }) => version === spoke)?.rules ?? [];
  const schemas = { hub: schemaOf(conversion, conversion.router.hub), spoke: schemaOf(conversion, spoke) };
  const [own, other] = from === spoke ? (['spoke', 'hub'] as const) : (['hub', 'spoke'] as const);
  return { rules, schemas, own, other };
}

export const NAMED = { name: 'fuzz' };

interface ArraySize {
  readonly minLength?: number;
  readonly maxLength: number;
}

function setIfAllowed(conversion: Conversion, object: JsonObject, set: Edit, version: string): JsonObject {
  const changed = withEdit(object, set);
  return isRefused(conversion, changed, version) ? object : changed;
}

/** Objects of a version as they are stored: named, with a uid. */
function wholeObjects(
  fc: Fc,
  { target }: Conversion,
  schema: JsonObject,
  version: string,
  domains: DomainTree,
): Values<JsonObject> {
  const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = propertiesOf(schema) ?? {};
  const head = asStored({ apiVersion: `${target.group}/${version}`, kind: target.kind, metadata: NAMED });
  return valuesOf(fc, { ...schema, properties }, domains).map((rest) => ({ ...head, ...(isObject(rest) ? rest : {}) }));
}

/** Other values for some fields of a version: where fields depend on each other, most edits are not allowed. */
function editsOf(fc: Fc, schema: JsonObject, domains: DomainTree, size: ArraySize): Values<Edit[]> {
  const leaves = leavesOf(schema).filter(({ path }) => !['apiVersion', 'kind', 'metadata'].includes(path[0] ?? ''));
  const edits = leaves.flatMap(({ path }) => {
    const found = lookup(schema, path);
    if (!('node' in found) || getOwn(found.node, 'type') === undefined) return [];
    return [valuesOf(fc, found.node, subtree(domains, path)).map((value) => ({ path, value }))];
  });
  return edits.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...edits), size);
}
