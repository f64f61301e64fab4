import type { ConversionConfig } from '../../../configs/parse-config.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { AppError } from '../../../errors.ts';

const DEFINITIONS = {
  CRD: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  XRD: { apiVersion: 'apiextensions.crossplane.io/v1', kind: 'CompositeResourceDefinition' },
} as const;
const ANNOTATIONS = 'conversion.terasky.com';

export interface ServiceOptions {
  readonly name: string;
  readonly namespace: string;
  /** Of the URL; `/convert/<target>` when left out. */
  readonly path?: string | undefined;
  readonly port: number;
  /** Base64. */
  readonly caBundle: string;
  readonly planHash?: string | undefined;
}

/** What the Go operator applies to a CRD or XRD: its webhook server is a Service of the cluster. */
export function servicePatch(config: ConversionConfig, options: ServiceOptions, apiVersion?: string): JsonObject {
  const { name, namespace, path = `/convert/${config.target}`, port, caBundle, planHash } = options;
  const annotations = {
    [`${ANNOTATIONS}/managed-by`]: config.name,
    ...(planHash !== undefined && { [`${ANNOTATIONS}/plan-hash`]: planHash }),
  };
  return patch(config, { annotations }, { service: { name, namespace, path, port }, caBundle }, apiVersion);
}

/** What wires a CRD or XRD to Roundhouse, which is reached by its URL; a bundle only for a server with its own CA. */
export function urlPatch(
  config: ConversionConfig,
  { url, caBundle }: { readonly url: string; readonly caBundle?: string | undefined },
  apiVersion?: string,
): JsonObject {
  const whole = targetUrl(url, config.target);
  return patch(config, {}, { url: whole, ...(caBundle !== undefined && { caBundle }) }, apiVersion);
}

function patch(
  { source, target, reviewVersions }: ConversionConfig,
  metadata: JsonObject,
  clientConfig: JsonObject,
  apiVersion: string = DEFINITIONS[source].apiVersion,
): JsonObject {
  const webhook = { clientConfig, conversionReviewVersions: reviewVersions };
  return {
    apiVersion,
    kind: DEFINITIONS[source].kind,
    metadata: { name: target, ...metadata },
    spec: { conversion: { strategy: 'Webhook', webhook } },
  };
}

/** The URL of an endpoint, or already that of the target. The error does not repeat it: it has a token in it. */
function targetUrl(text: string, target: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const extras = url === undefined ? '' : url.username + url.password;
  if (url?.protocol !== 'https:' || extras !== '' || /[?#]/.test(text)) {
    const rule = 'an apiserver calls only https:// URLs without user info, query or fragment';
    throw new AppError('BAD_REQUEST', `--url cannot be used: ${rule}`);
  }
  const base = url.href.replace(/\/+$/, '');
  return base.endsWith(`/${target}`) ? base : `${base}/${target}`;
}
