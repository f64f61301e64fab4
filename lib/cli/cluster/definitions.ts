import { getOwn, isArray, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { parseTarget, type Target } from '../../k8s/target.ts';
import type { Cluster } from './client.ts';
import { type Asked, refused } from './errors.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CROSSPLANE = '/apis/apiextensions.crossplane.io';
const RESOURCES = {
  CRD: 'customresourcedefinitions.apiextensions.k8s.io',
  XRD: 'compositeresourcedefinitions.apiextensions.crossplane.io',
} as const;

export type Source = keyof typeof RESOURCES;

/** A CRD or XRD as a cluster has it. */
export interface Definition {
  readonly source: Source;
  /** `metadata.name`. */
  readonly name: string;
  /** Where it is read and written. */
  readonly path: string;
  readonly body: JsonObject;
  readonly target: Target;
}

/** A CRD, with what only a CRD of a cluster has. */
export interface Crd extends Definition {
  readonly namespaced: boolean;
  readonly storedVersions: readonly string[];
  /** The version that objects are written at. */
  readonly storage: string;
}

export function askedOf(source: Source, verb: Asked['verb'], name: string): Asked {
  return { verb, resource: RESOURCES[source], name };
}

/** @throws AppError NOT_FOUND when the cluster does not have it */
export async function readDefinition(cluster: Cluster, source: Source, name: string): Promise<Definition> {
  const path = source === 'CRD' ? `${CRDS}/${name}` : `${await crossplanePath(cluster)}/${name}`;
  const asked = askedOf(source, 'get', name);
  const reply = await cluster.call(asked, path);
  if (reply.status === 404) {
    const { context, server } = cluster;
    const hint = 'check the name, <plural>.<group>, and the context';
    throw new AppError(
      'NOT_FOUND',
      `the cluster has no ${source} ${name}\n  context ${context}, server ${server}\n  ${hint}`,
    );
  }
  if (reply.status !== 200) throw refused(cluster, asked, reply);
  const { target, diagnostics } = parseTarget(reply.body);
  if (target !== undefined) return { source, name, path, body: reply.body, target };
  throw new AppError('UNPROCESSABLE', `the ${source} ${name} cannot be read: ${diagnostics[0]?.message}`);
}

export async function readCrd(cluster: Cluster, name: string): Promise<Crd> {
  const definition = await readDefinition(cluster, 'CRD', name);
  const { body, target } = definition;
  const stored = at(body, 'status', 'storedVersions');
  return {
    ...definition,
    namespaced: at(body, 'spec', 'scope') !== 'Cluster',
    storedVersions: isArray(stored) ? stored.map(String) : [],
    storage: target.versions.find(({ storage }) => storage)?.name ?? '',
  };
}

/** The same; undefined where the cluster does not have it. */
export async function findCrd(cluster: Cluster, name: string): Promise<Crd | undefined> {
  return await readCrd(cluster, name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

/** Versions that objects are asked for at, or that some may be stored at. */
export function versionsInUse({ target, storedVersions, storage }: Crd): string[] {
  const served = target.versions.filter((version) => version.served).map(({ name }) => name);
  return [...new Set([storage, ...served, ...storedVersions])];
}

/** Names of the CRDs whose objects a definition describes: itself, or those that Crossplane makes of an XRD. */
export function crdNames({ source, name, target: { claim, group } }: Definition): string[] {
  if (source === 'CRD') return [name];
  return claim === undefined ? [name] : [name, `${claim.plural}.${group}`];
}

/** Crossplane 2 serves v1 and v2, Crossplane 1 only v1. */
async function crossplanePath(cluster: Cluster): Promise<string> {
  const { status, body } = await cluster.call({ verb: 'get', resource: RESOURCES.XRD }, CROSSPLANE);
  if (status === 404) {
    const { context, server } = cluster;
    const message = 'the cluster has no CompositeResourceDefinitions: Crossplane is not installed there';
    throw new AppError('NOT_FOUND', `${message}\n  context ${context}, server ${server}`);
  }
  const versions = getOwn(body, 'versions');
  const names = isArray(versions) ? versions.map((version) => at(version, 'version')) : [];
  return `${CROSSPLANE}/${names.includes('v2') ? 'v2' : 'v1'}/compositeresourcedefinitions`;
}

/** Of one object, or of all of them without a name; over all namespaces without a namespace. */
export function objectPath(
  { target: { group, plural }, namespaced }: Crd,
  version: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string } = {},
): string {
  const scope = namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
  return `/apis/${group}/${version}${scope}/${plural}${name === undefined ? '' : `/${name}`}`;
}

export function objectsAsked(
  { target: { group, plural }, namespaced }: Crd,
  verb: Asked['verb'],
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string } = {},
): Asked {
  const scope = namespaced && namespace !== undefined ? { namespace } : {};
  return { verb, resource: `${plural}.${group}`, ...scope, ...(name !== undefined && { name }) };
}

/** Namespace, name, uid and resource version of an object. */
export function identityOf(object: JsonObject) {
  const text = (key: string) => {
    const value = at(object, 'metadata', key);
    return typeof value === 'string' ? value : undefined;
  };
  const namespace = text('namespace');
  return {
    name: text('name') ?? '',
    uid: text('uid') ?? '',
    resourceVersion: text('resourceVersion') ?? '',
    ...(namespace !== undefined && { namespace }),
  };
}

/** Whether two readings are of the same definition with the same spec: its status may have changed. */
export function isSameSpec(one: JsonObject, other: JsonObject): boolean {
  return ['uid', 'generation'].every((key) => at(one, 'metadata', key) === at(other, 'metadata', key));
}

/** A condition that has the status True. */
export function hasCondition(body: JsonObject, type: string): boolean {
  const conditions = at(body, 'status', 'conditions');
  return (isArray(conditions) ? conditions : []).some(
    (condition) => at(condition, 'type') === type && at(condition, 'status') === 'True',
  );
}

/** The value at a path of object keys. */
export function at(root: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => (isObject(value) ? getOwn(value, key) : undefined), root);
}
