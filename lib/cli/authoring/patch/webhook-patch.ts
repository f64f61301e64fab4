import type { ConversionConfig } from '../../../configs/parse-config.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { renderConversionPatch, TOKEN_PLACEHOLDER } from '../../../k8s/conversion-patch.ts';
import { parseEndpointUrl, withToken } from './endpoint-url.ts';

const API_VERSIONS = { CRD: 'apiextensions.k8s.io/v1', XRD: 'apiextensions.crossplane.io/v1' } as const;
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
  {
    url,
    token,
    caBundle,
  }: { readonly url: string; readonly token?: string | undefined; readonly caBundle?: string | undefined },
  apiVersion?: string,
): JsonObject {
  return patch(
    config,
    {},
    { url: targetUrl(url, token, config.target), ...(caBundle !== undefined && { caBundle }) },
    apiVersion,
  );
}

function patch(
  { source, target, reviewVersions }: ConversionConfig,
  metadata: JsonObject,
  clientConfig: JsonObject,
  apiVersion: string = API_VERSIONS[source],
): JsonObject {
  return renderConversionPatch({ source, apiVersion, name: target, metadata, clientConfig, reviewVersions });
}

/** The URL of an endpoint, of an endpoint with its token, or already that of the target. */
function targetUrl(text: string, token: string | undefined, target: string): string {
  const url = parseEndpointUrl(text);
  const [endpoint, ...more] = url.parts;
  if (url.href.endsWith(`/${target}`)) return url.href;
  if (endpoint !== undefined && more.length === 0) return withToken(url, token ?? TOKEN_PLACEHOLDER, target);
  return `${url.href}/${target}`;
}
