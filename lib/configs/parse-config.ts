import * as z from 'zod/mini';
import type { Diagnostic } from '../engine/diagnostic.ts';
import { getOwn, type Json } from '../engine/json.ts';
import { checkKind, checkName, metadataShape, readLabels } from './metadata.ts';
import { checkShape, createReporter, type Parsed, type Reporter, type Resource } from './resource.ts';
import type { Labels } from './selector.ts';

/** An XRDConversionConfig or CRDConversionConfig whose form is right; its rules are judged by the analysis. */
export interface ConversionConfig {
  readonly source: 'CRD' | 'XRD';
  readonly name: string;
  readonly labels: Labels;
  /** `metadata.name` of the CRD or XRD. */
  readonly target: string;
  readonly hubVersion: string;
  readonly spokes: readonly { readonly version: string; readonly rules: readonly Json[] }[];
  readonly endpoint?: string;
  readonly reviewVersions: readonly string[];
  readonly unmappedFieldPolicy: 'Error' | 'Warn';
}

const targetRef = z.strictObject({ name: z.string() });

const specShape = {
  hubVersion: z.string(),
  spokes: z.array(z.strictObject({ version: z.string(), rules: z.nullish(z.array(z.unknown())) })),
  webhookServerRef: z.nullish(z.strictObject({ name: z.optional(z.string()) })),
  conversionReviewVersions: z.nullish(z.array(z.string())),
  unmappedFieldPolicy: z.optional(z.enum(['Error', 'Warn'])),
  unmappedFieldReason: z.optional(z.string()),
  driftPolicy: z.optional(z.enum(['KeepServingStale', 'FailClosed'])),
};

const envelope = {
  apiVersion: z.unknown(),
  kind: z.unknown(),
  metadata: metadataShape,
  status: z.optional(z.unknown()),
};
const crdShape = z.strictObject({ ...envelope, spec: z.strictObject({ ...specShape, targetCRD: targetRef }) });
const xrdShape = z.strictObject({ ...envelope, spec: z.strictObject({ ...specShape, targetXRD: targetRef }) });

/** An apiserver refuses a CRD that lists none of the review versions it knows. */
const KNOWN_REVIEWS = ['v1', 'v1beta1'];

/**
 * Parses a config strictly: unknown keys, wrong types, and what the operator checks at admission are findings, all at once.
 * `status` is ignored. The value is there whenever its form allows an analysis, even beside errors.
 */
export function parseConfig(resource: Resource): Parsed<ConversionConfig> {
  const diagnostics: Diagnostic[] = [];
  const reporter = createReporter(resource, diagnostics);
  if (!checkKind(resource.value, ['CRDConversionConfig', 'XRDConversionConfig'], reporter)) return { diagnostics };
  const labels = readLabels(resource.value, reporter);
  const isXrd = getOwn(resource.value, 'kind') === 'XRDConversionConfig';
  const parsed = isXrd
    ? withTarget(checkShape(xrdShape, resource, reporter), (spec) => spec.targetXRD.name)
    : withTarget(checkShape(crdShape, resource, reporter), (spec) => spec.targetCRD.name);
  if (parsed === undefined) return { diagnostics };
  const { name, target, spec } = parsed;
  checkName(name, reporter);
  checkSpokes(spec, reporter);
  checkPolicies(spec, reporter);
  const endpoint = spec.webhookServerRef?.name;
  const value: ConversionConfig = {
    source: isXrd ? 'XRD' : 'CRD',
    name,
    labels,
    target,
    hubVersion: spec.hubVersion,
    spokes: spec.spokes.map(({ version, rules }) => ({ version, rules: (rules ?? []) as readonly Json[] })),
    ...(endpoint && { endpoint }),
    reviewVersions: spec.conversionReviewVersions?.length ? spec.conversionReviewVersions : ['v1'],
    unmappedFieldPolicy: spec.unmappedFieldPolicy ?? 'Error',
  };
  return { value, diagnostics };
}

type Spec = z.infer<z.ZodMiniObject<typeof specShape>>;

function withTarget<T extends Spec>(
  config: { metadata: { name: string }; spec: T } | undefined,
  targetOf: (spec: T) => string,
) {
  return config && { name: config.metadata.name, target: targetOf(config.spec), spec: config.spec as Spec };
}

function checkSpokes({ hubVersion, spokes }: Spec, { error }: Reporter): void {
  if (spokes.length === 0) {
    error('SPOKES_EMPTY', ['spec', 'spokes'], 'spec.spokes is empty', 'add one entry for each version but the hub');
  }
  for (const [index, { version }] of spokes.entries()) {
    const path = ['spec', 'spokes', index, 'version'];
    if (version === hubVersion) {
      error('SPOKE_IS_HUB', path, `spoke ${version} is the hub`, 'rules are for the other versions');
    } else if (spokes.findIndex((spoke) => spoke.version === version) < index) {
      error('SPOKE_DUPLICATE', path, `spoke ${version} is listed twice`, 'merge its rules into one entry');
    }
  }
}

function checkPolicies(spec: Spec, { error, warn }: Reporter): void {
  if (spec.unmappedFieldPolicy === 'Warn' && !spec.unmappedFieldReason?.trim()) {
    const hint = 'say why fields may be dropped';
    error('REASON_REQUIRED', ['spec', 'unmappedFieldReason'], 'policy Warn needs an unmappedFieldReason', hint);
  }
  const reviews = spec.conversionReviewVersions;
  if (reviews?.length && !reviews.some((version) => KNOWN_REVIEWS.includes(version))) {
    const message = 'conversionReviewVersions lists no version that an apiserver speaks';
    error('REVIEW_VERSIONS', ['spec', 'conversionReviewVersions'], message, 'write ["v1"], or leave it out');
  }
  if (spec.driftPolicy === 'FailClosed') {
    const message =
      'driftPolicy FailClosed means nothing here: each revision keeps the schema that it was analysed with';
    warn('DRIFT_POLICY_UNUSED', ['spec', 'driftPolicy'], message, 'remove it');
  }
}
