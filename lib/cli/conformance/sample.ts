import { getOwn, isObject, type JsonObject } from '../../engine/json.ts';
import type { Target } from '../../k8s/target.ts';

/** One object that is converted, and how reports call it: a file, or `cluster:<namespace>/<name>`. */
export interface Sample {
  readonly name: string;
  readonly object: JsonObject;
}

/** Where samples come from: files at once, a cluster page by page. */
export type SampleSource = Iterable<Sample> | AsyncIterable<Sample>;

/** Group and version of an object; undefined without an `apiVersion`. */
export function apiVersionOf(object: JsonObject): { group: string; version: string } | undefined {
  const apiVersion = getOwn(object, 'apiVersion');
  if (typeof apiVersion !== 'string') return undefined;
  const slash = apiVersion.lastIndexOf('/');
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
}

/** Whether an object is of the kind that the target converts; its claims are converted by the same rules. */
export function isOfKind(object: JsonObject, { kind, claim }: Target): boolean {
  const found = getOwn(object, 'kind');
  return found === kind || (claim !== undefined && found === claim.kind);
}

/** `Kind namespace/name`, for messages. */
export function objectName(object: JsonObject): string {
  const metadata = getOwn(object, 'metadata');
  const [namespace, name] = isObject(metadata) ? [getOwn(metadata, 'namespace'), getOwn(metadata, 'name')] : [];
  const called = typeof name === 'string' ? name : '(unnamed)';
  return `${getOwn(object, 'kind') ?? '(no kind)'} ${typeof namespace === 'string' ? `${namespace}/` : ''}${called}`;
}

const UID = '00000000-0000-4000-8000-000000000000';

/** An object as an apiserver sends it for review: a named one has a uid; one without is a part of an object (D1). */
export function asStored(object: JsonObject): JsonObject {
  const metadata = getOwn(object, 'metadata');
  if (!isObject(metadata) || getOwn(metadata, 'uid') !== undefined) return object;
  if (getOwn(metadata, 'name') === undefined && getOwn(metadata, 'generateName') === undefined) return object;
  return { ...object, metadata: { ...metadata, uid: UID } };
}
