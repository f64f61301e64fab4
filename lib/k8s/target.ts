import type { Diagnostic } from '../engine/diagnostic.ts';
import { getOwn, isObject, type Json, type JsonObject } from '../engine/json.ts';
import type { VersionSchema } from '../engine/schema.ts';
import type { DocumentPath } from '../engine/values/path-text.ts';
import { CRD } from './crd.ts';
import { type DefinitionKind, DefinitionReader } from './definition.ts';
import { XRD } from './xrd.ts';

/** What a config converts: a CRD or a Crossplane XRD, reduced to what conversion needs. */
export interface Target {
  readonly source: 'CRD' | 'XRD';
  /** `metadata.name`. */
  readonly name: string;
  readonly group: string;
  /** Kind of the objects. */
  readonly kind: string;
  readonly plural: string;
  /** In the order of the document; schemas are passed through as they are. */
  readonly versions: readonly VersionSchema[];
  /** Kind and plural of the claims of an XRD that offers them. */
  readonly claim?: { readonly kind: string; readonly plural: string };
}

/** The target is there whenever its versions can be read, also beside faults: rules can then be judged as well. */
export interface ParsedTarget {
  readonly target?: Target;
  readonly diagnostics: readonly Diagnostic[];
}

const KINDS: readonly DefinitionKind[] = [CRD, XRD];

/**
 * Reads a CustomResourceDefinition (v1) or a CompositeResourceDefinition (v1, v2).
 *
 * @param lineOf lines of the document's source text, where it is known (`YamlDocument.lineOf`)
 * @returns the target, or every problem at once; codes start with `SCHEMA_`
 */
export function parseTarget(document: Json, lineOf?: (path: DocumentPath) => number | undefined): ParsedTarget {
  const reader = new DefinitionReader(lineOf);
  const definition = readKind(document, reader);
  if (!definition) return { diagnostics: reader.diagnostics };
  const root = document as JsonObject;
  const spec = reader.object(root, ['spec']);
  const group = reader.text(root, ['spec', 'group']);
  const kind = reader.text(root, ['spec', 'names', 'kind']);
  const plural = reader.text(root, ['spec', 'names', 'plural']);
  const name = reader.text(root, ['metadata', 'name'], 'SCHEMA_NAME_MISSING');
  const versions = readVersions(spec, definition, reader);
  const claim = spec && getOwn(spec, 'claimNames') ? readClaim(root, reader) : undefined;
  if (name && plural && group && name !== `${plural}.${group}`) {
    const hint = 'Kubernetes requires <spec.names.plural>.<spec.group>';
    reader.problem('SCHEMA_NAME_MISMATCH', ['metadata', 'name'], `is "${name}", expected "${plural}.${group}"`, hint);
  }
  const { diagnostics } = reader;
  const known = versions.filter((version) => version.name !== '');
  if (known.length === 0) return { diagnostics };
  const { source } = definition;
  return { target: { source, name, group, kind, plural, versions: known, ...(claim && { claim }) }, diagnostics };
}

function readKind(document: Json, reader: DefinitionReader): DefinitionKind | undefined {
  const expected = KINDS.map(({ kind }) => kind).join(' or ');
  if (!isObject(document)) {
    reader.problem('SCHEMA_KIND', [], `must be an object, a ${expected}`);
    return undefined;
  }
  const kind = getOwn(document, 'kind');
  const definition = KINDS.find((known) => known.kind === kind);
  if (!definition) {
    const found = typeof kind === 'string' ? `is "${kind}"` : 'is missing';
    reader.problem('SCHEMA_KIND', ['kind'], `${found}, expected ${expected}`);
    return undefined;
  }
  const apiVersion = getOwn(document, 'apiVersion');
  if (typeof apiVersion === 'string' && definition.apiVersions.includes(apiVersion)) return definition;
  const found = typeof apiVersion === 'string' ? `is "${apiVersion}"` : 'is missing';
  const hint = typeof apiVersion === 'string' ? getOwn(definition.retired, apiVersion) : undefined;
  const message = `${found}, expected ${definition.apiVersions.join(' or ')}`;
  reader.problem('SCHEMA_API_VERSION', ['apiVersion'], message, hint as string | undefined);
  return undefined;
}

function readVersions(spec: JsonObject | undefined, definition: DefinitionKind, reader: DefinitionReader) {
  const list = spec && getOwn(spec, 'versions');
  if (!Array.isArray(list) || list.length === 0) {
    if (spec)
      reader.problem('SCHEMA_VERSIONS_MISSING', ['spec', 'versions'], 'must be a list with at least one version');
    return [];
  }
  const versions = list.map((item: Json, index) => readVersion(item, index, definition.storageFlag, reader));
  const names = versions.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (name === '' || names.indexOf(name) === index) continue;
    reader.problem('SCHEMA_VERSION_DUPLICATE', ['spec', 'versions', index, 'name'], `"${name}" is there twice`);
  }
  const stored = versions.filter(({ storage }) => storage).length;
  if (stored !== 1) {
    const message = `has ${stored} versions with ${definition.storageFlag}: true, expected exactly one`;
    reader.problem('SCHEMA_VERSION_STORAGE', ['spec', 'versions'], message);
  }
  return versions;
}

function readVersion(item: Json, index: number, storageFlag: string, reader: DefinitionReader): VersionSchema {
  const path = ['spec', 'versions', index] as const;
  if (!isObject(item)) {
    reader.problem('SCHEMA_VERSION_INVALID', path, 'must be an object');
    return { name: '', served: false, storage: false };
  }
  const name = getOwn(item, 'name');
  const valid = typeof name === 'string' && VERSION_NAME.test(name);
  if (!valid) reader.problem('SCHEMA_VERSION_NAME', [...path, 'name'], 'must be a version name such as v1 or v1beta1');
  const schema = getOwn(item, 'schema');
  const openApi = isObject(schema) ? (getOwn(schema, 'openAPIV3Schema') ?? null) : (schema ?? null);
  const openApiPath = isObject(schema) ? [...path, 'schema', 'openAPIV3Schema'] : [...path, 'schema'];
  if (openApi !== null && !isObject(openApi)) reader.problem('SCHEMA_VERSION_SCHEMA', openApiPath, 'must be an object');
  return {
    name: valid ? name : '',
    served: reader.flag(item, [...path, 'served']),
    storage: reader.flag(item, [...path, storageFlag]),
    ...(isObject(openApi) && { schema: openApi }),
  };
}

/** What Kubernetes takes as a version name: a DNS-1035 label. */
const VERSION_NAME = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

function readClaim(root: JsonObject, reader: DefinitionReader) {
  const kind = reader.text(root, ['spec', 'claimNames', 'kind']);
  return { kind, plural: reader.text(root, ['spec', 'claimNames', 'plural']) };
}
