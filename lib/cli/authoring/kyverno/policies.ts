import type { JsonObject } from '../../../engine/json.ts';

/** What the policies are made for: a composite type and where its objects keep their choice of a Composition. */
export interface Composite {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Of `compositionRef` and its like: `spec`, or `spec.crossplane` since Crossplane 2. */
  readonly machinery: readonly string[];
}

export interface PolicyOptions {
  readonly to: string;
  readonly from?: string | undefined;
  readonly labelKey: string;
  readonly compositionPolicyName?: string | undefined;
  readonly migratePolicyName?: string | undefined;
}

/** Every Composition of the type gets a label with the version of the type that it is for. */
export function labelCompositions(composite: Composite, options: PolicyOptions): JsonObject {
  const { group, kind, plural } = composite;
  const version = 'object.spec.compositeTypeRef.apiVersion.split("/")[1]';
  const key = JSON.stringify(options.labelKey);
  const name = options.compositionPolicyName ?? `label-compositions-${dnsName(plural)}`;
  const description = `Labels each Composition of ${kind} with the version of ${kind} that it is for.`;
  return policy(name, description, {
    resource: { apiGroups: ['apiextensions.crossplane.io'], apiVersions: ['v1'], resources: ['compositions'] },
    conditions: {
      'of-the-type': `object.spec.compositeTypeRef.kind == ${JSON.stringify(kind)} && object.spec.compositeTypeRef.apiVersion.startsWith(${JSON.stringify(`${group}/`)})`,
      'label-is-missing': `object.?metadata.?labels[?${key}].orValue("") != ${version}`,
    },
    mutation: {
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression: `Object{metadata: Object.metadata{labels: {${key}: ${version}}}}` },
    },
  });
}

/** Composites forget the Composition that they have, and select one by that label. */
export function selectVersion(composite: Composite, options: PolicyOptions): JsonObject {
  const { group, kind, plural, machinery } = composite;
  const { to, from, labelKey } = options;
  const selected = `${optional([...machinery, 'compositionSelector', 'matchLabels'])}[?${JSON.stringify(labelKey)}].orValue("")`;
  const name = options.migratePolicyName ?? `set-composition-version-selector-${dnsName(plural)}`;
  const which = from === undefined ? `each ${kind}` : `each ${kind} that selects ${from}`;
  const description = `Makes ${which} forget its Composition and select one that is for ${to}.`;
  const refs = ['compositionRef', 'compositionRevisionRef'].map((ref) => remove([...machinery, ref]));
  const set = add([...machinery, 'compositionSelector', 'matchLabels', labelKey], to);
  return policy(name, description, {
    // An older version's requests come converted to this one (matchPolicy Equivalent).
    resource: { apiGroups: [group], apiVersions: [to], resources: [plural] },
    conditions: {
      'selects-another-version':
        from === undefined ? `${selected} != ${JSON.stringify(to)}` : `${selected} == ${JSON.stringify(from)}`,
    },
    mutation: { patchType: 'JSONPatch', jsonPatch: { expression: [...refs, set].join(' +\n') } },
  });
}

interface PolicyParts {
  readonly resource: JsonObject;
  readonly conditions: Readonly<Record<string, string>>;
  readonly mutation: JsonObject;
}

/** Both act on requests, and once on what is there already. */
function policy(name: string, description: string, { resource, conditions, mutation }: PolicyParts): JsonObject {
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'MutatingPolicy',
    metadata: { name, annotations: { 'policies.kyverno.io/description': description } },
    spec: {
      evaluation: { admission: { enabled: true }, mutateExisting: { enabled: true } },
      matchConstraints: {
        matchPolicy: 'Equivalent',
        resourceRules: [{ ...resource, operations: ['CREATE', 'UPDATE'] }],
      },
      matchConditions: Object.entries(conditions).map(([key, expression]) => ({ name: key, expression })),
      mutations: [mutation],
    },
  };
}

/** CEL that reads a path of which any part may be absent. */
function optional(path: readonly string[]): string {
  return ['object', ...path].join('.?');
}

function remove(path: readonly string[]): string {
  return `(${optional(path)}.hasValue() ? [JSONPatch{op: "remove", path: ${pointer(path)}}] : [])`;
}

/** Adds the value, with those of its parents that are absent: the deepest one that is there decides. */
function add(path: readonly string[], value: string): string {
  const parents = path.slice(0, -1).map((_, index) => path.length - 1 - index);
  const at = (length: number) => {
    const inner = path
      .slice(length + 1)
      .reduceRight((body, key) => `{${JSON.stringify(key)}: ${body}}`, JSON.stringify(value));
    return `[JSONPatch{op: "add", path: ${pointer(path.slice(0, length + 1))}, value: ${inner}}]`;
  };
  const cases = parents.map((length) => `${optional(path.slice(0, length))}.hasValue() ? ${at(length)} :`);
  return `(${[...cases, at(0)].join('\n ')})`;
}

function pointer(path: readonly string[]): string {
  return JSON.stringify(path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
}

function dnsName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
}
