import type { Target } from './roundhouse.ts';

/** Each field under its name at both versions. */
const FIELDS = [
  { v1: 'spec.boats', v1alpha1: 'spec.count', type: 'integer' },
  { v1: 'spec.home', v1alpha1: 'spec.port', type: 'string' },
  { v1: 'status.sailing', v1alpha1: 'status.active', type: 'integer' },
  { v1: 'status.selector', v1alpha1: 'status.match', type: 'string' },
] as const;

const VERSIONS = ['v1', 'v1alpha1'] as const;
export type FerryVersion = (typeof VERSIONS)[number];

interface FerryOptions {
  /** Before `.ferries.example.org`: every line is a kind of its own. */
  readonly line: string;
  /** The version that is stored, and so the hub. */
  readonly storage?: FerryVersion;
  readonly served?: readonly FerryVersion[];
}

/** A kind with the subresources `status` and `scale`, all of whose fields have another name at each version. */
export function ferries({ line, storage = 'v1', served = VERSIONS }: FerryOptions): Target {
  const group = `${line}.ferries.example.org`;
  const name = `ferries.${group}`;
  const spoke = storage === 'v1' ? 'v1alpha1' : 'v1';
  const rules = FIELDS.map((field) => ({
    strategy: 'FieldRename',
    fieldRename: { hubPath: field[storage], spokePath: field[spoke] },
  }));
  return {
    crd: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind: 'Ferry', plural: 'ferries', singular: 'ferry' },
        versions: VERSIONS.map((version) => renderVersion(version, { storage, served })),
      },
    },
    config: {
      apiVersion: 'terasky.com/v1alpha1',
      kind: 'CRDConversionConfig',
      metadata: { name: line },
      spec: { targetCRD: { name }, hubVersion: storage, spokes: [{ version: spoke, rules }] },
    },
  };
}

function renderVersion(version: FerryVersion, { storage, served }: Required<Omit<FerryOptions, 'line'>>) {
  const properties = (part: string) => {
    const fields = FIELDS.filter((field) => field[version].startsWith(`${part}.`));
    return Object.fromEntries(fields.map(({ [version]: path, type }) => [path.slice(part.length + 1), { type }]));
  };
  const part = (name: string) => ({ type: 'object', properties: properties(name) });
  const [specReplicasPath, , statusReplicasPath, labelSelectorPath] = FIELDS.map((field) => `.${field[version]}`);
  return {
    name: version,
    served: served.includes(version),
    storage: version === storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: part('spec'), status: part('status') } } },
    subresources: { status: {}, scale: { specReplicasPath, statusReplicasPath, labelSelectorPath } },
  };
}
