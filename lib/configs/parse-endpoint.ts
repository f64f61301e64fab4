import * as z from 'zod/mini';
import type { Diagnostic } from '../engine/diagnostic.ts';
import { getOwn, isObject, type Json } from '../engine/json.ts';
import { parseLabelSelector } from '../k8s/labels.ts';
import { checkKind, checkName, metadataShape } from './metadata.ts';
import { checkShape, createReporter, type Parsed, type Reporter, type Resource } from './resource.ts';
import type { LabelSelector } from './types.ts';

/** What a ConversionWebhookServer means here. */
export interface EndpointSpec {
  readonly name: string;
  readonly default: boolean;
  readonly selector?: LabelSelector;
}

/** Fields that describe the pods, services and certificates of an installation in a cluster. */
const POD_KNOBS = [
  ...['namespace', 'replicas', 'autoscaling', 'image', 'resources', 'nodeSelector', 'tolerations', 'affinity'],
  ...['priorityClassName', 'serviceAccountName', 'topologySpreadConstraints', 'podAnnotations', 'podLabels'],
  ...['extraArgs', 'extraEnv', 'extraVolumes', 'extraVolumeMounts', 'certificate', 'service', 'podDisruptionBudget'],
];

const shape = z.strictObject({
  apiVersion: z.unknown(),
  kind: z.unknown(),
  metadata: metadataShape,
  spec: z.nullish(
    z.strictObject({
      default: z.optional(z.boolean()),
      cacheSelector: z.optional(z.unknown()),
      ...Object.fromEntries(POD_KNOBS.map((key) => [key, z.optional(z.unknown())])),
    }),
  ),
  status: z.optional(z.unknown()),
});

/** Parses a ConversionWebhookServer strictly; each knob that means nothing without pods is a warning. */
export function parseEndpoint(resource: Resource): Parsed<EndpointSpec> {
  const diagnostics: Diagnostic[] = [];
  const reporter = createReporter(resource, diagnostics);
  if (!checkKind(resource.value, ['ConversionWebhookServer'], reporter)) return { diagnostics };
  const parsed = checkShape(shape, resource, reporter);
  if (parsed === undefined) return { diagnostics };
  checkName(parsed.metadata.name, reporter);
  const spec = getOwn(resource.value, 'spec');
  const fields = isObject(spec) ? spec : {};
  for (const knob of POD_KNOBS) {
    if (getOwn(fields, knob) === undefined) continue;
    const message = `spec.${knob} means nothing here: there are no pods, services or certificates to run`;
    reporter.warn('KNOB_UNUSED', ['spec', knob], message, 'remove it');
  }
  const selector = readSelector(getOwn(fields, 'cacheSelector'), reporter);
  return {
    value: { name: parsed.metadata.name, default: parsed.spec?.default ?? false, ...(selector && { selector }) },
    diagnostics,
  };
}

function readSelector(value: Json | undefined, { error }: Reporter): LabelSelector | undefined {
  if (value === undefined || value === null) return undefined;
  const { problems } = parseLabelSelector(value);
  for (const { path, message } of problems ?? []) {
    const at = path === '' ? 'cacheSelector' : `cacheSelector.${path}`;
    error('SELECTOR_INVALID', ['spec', 'cacheSelector'], `${at}: ${message}`, 'write a Kubernetes label selector');
  }
  return problems === undefined ? (value as LabelSelector) : undefined;
}
