import * as z from 'zod/mini';
import { getOwn, isObject, type JsonObject } from '../engine/json.ts';
import { isLabelKey, isLabelValue } from '../engine/values/label.ts';
import type { Reporter } from './resource.ts';
import type { Labels } from './selector.ts';

const API_VERSION = 'terasky.com/v1alpha1';

/** Each label is an index item, written with every activation. */
const MAX_LABELS = 64;

/** The keys of `metav1.ObjectMeta`: a resource that was read from a cluster brings them along. */
const OTHER_KEYS = [
  ...['generateName', 'namespace', 'annotations', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'ownerReferences', 'finalizers', 'managedFields', 'selfLink'],
];

export const metadataShape = z.strictObject({
  name: z.string(),
  labels: z.nullish(z.record(z.string(), z.unknown())),
  ...Object.fromEntries(OTHER_KEYS.map((key) => [key, z.optional(z.unknown())])),
});

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What `metadata.name` of these kinds, a target and an endpoint may be called (RFC 1123 subdomain). */
export function isDnsName(text: string): boolean {
  return text.length <= 253 && DNS_SUBDOMAIN.test(text);
}

/** The labels of a resource. Read from the resource itself: a record of zod leaves a key `__proto__` out silently. */
export function readLabels(resource: JsonObject, { error }: Reporter): Labels {
  const metadata = getOwn(resource, 'metadata');
  const labels = isObject(metadata) ? getOwn(metadata, 'labels') : undefined;
  if (!isObject(labels)) return {};
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) {
    const message = `there are ${entries.length} labels, at most ${MAX_LABELS} are allowed`;
    error('CONFIG_LABEL', ['metadata', 'labels'], message, 'remove those that no selector uses');
  }
  const hint = 'see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/';
  for (const [key, value] of entries) {
    const path = ['metadata', 'labels', key];
    if (!isLabelKey(key)) error('CONFIG_LABEL', path, `"${key}" is not a label key`, hint);
    else if (typeof value !== 'string') error('CONFIG_LABEL', path, 'a label value must be a string', 'quote it');
    else if (!isLabelValue(value)) error('CONFIG_LABEL', path, 'this is not a label value', hint);
  }
  return labels as Labels;
}

/** Reports a resource that is none of `kinds` of our API version; false for a kind whose fields cannot be judged. */
export function checkKind(resource: JsonObject, kinds: readonly string[], { error }: Reporter): boolean {
  const apiVersion = getOwn(resource, 'apiVersion');
  if (apiVersion !== API_VERSION) {
    error(
      'CONFIG_API_VERSION',
      ['apiVersion'],
      `apiVersion must be ${API_VERSION}`,
      `write apiVersion: ${API_VERSION}`,
    );
  }
  const kind = getOwn(resource, 'kind');
  if (typeof kind === 'string' && kinds.includes(kind)) return true;
  error('CONFIG_KIND', ['kind'], `kind must be ${kinds.join(' or ')}`, `write kind: ${kinds[0]}`);
  return false;
}

export function checkName(name: string, { error }: Reporter): void {
  if (isDnsName(name)) return;
  const hint = 'use lower case letters, digits, - and ., at most 253 characters';
  error('CONFIG_NAME', ['metadata', 'name'], 'metadata.name is not a DNS name', hint);
}
