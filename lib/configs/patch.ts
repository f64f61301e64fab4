import type { Clock } from '../clock.ts';
import type { JsonObject } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { renderConversionPatch, TOKEN_PLACEHOLDER } from '../k8s/conversion-patch.ts';
import type { Store } from '../store/ports.ts';
import { createConfigFilter, loadDefaultEndpoint, loadEndpoint } from './endpoint-records.ts';
import type { ActiveHead } from './records.ts';
import { requireHead } from './revisions.ts';
import { verifyToken } from './tokens.ts';
import type { PatchOptions } from './types.ts';

/** See `ConfigService.patch`. No `service`: an endpoint is reached by its URL (R22). */
export async function renderPatch(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  target: string,
  endpointName: string | undefined,
  { baseUrl, token, caBundle }: PatchOptions,
): Promise<JsonObject> {
  const base = checkBaseUrl(baseUrl);
  const head = await requireHead(store, target);
  const { record } = head;
  const name = endpointName ?? record.endpoint ?? (await loadDefaultEndpoint(store));
  if (name === undefined) {
    const hint = 'Name one with ?endpoint=, or make one the default.';
    throw new AppError('UNPROCESSABLE', `${target} names no endpoint, and there is no default endpoint. ${hint}`);
  }
  await checkEndpoint({ store, clock }, head, name, token);
  const url = `${base}/convert/${name}/${token ?? TOKEN_PLACEHOLDER}/${target}`;
  const { source, apiVersion, reviewVersions } = record;
  const clientConfig = { url, ...(caBundle !== undefined && { caBundle }) };
  return renderConversionPatch({ source, apiVersion, name: target, clientConfig, reviewVersions });
}

async function checkEndpoint(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { target, record }: ActiveHead,
  name: string,
  token: string | undefined,
): Promise<void> {
  const endpoint = await loadEndpoint(store, name);
  if (endpoint === undefined) throw new AppError('NOT_FOUND', `There is no endpoint ${name.slice(0, 253)}.`);
  if (!createConfigFilter(endpoint)(record)) {
    const hint = 'Its selector does not match the labels of the config, or the config names another endpoint.';
    throw new AppError('UNPROCESSABLE', `The endpoint ${name} does not serve ${target}. ${hint}`);
  }
  if (token !== undefined && !verifyToken(endpoint, token, clock.now())) {
    throw new AppError('UNPROCESSABLE', `The token is none of the endpoint ${name}. Rotate it for a new one.`);
  }
}

/** What an apiserver accepts as the start of `clientConfig.url` (R45). */
function checkBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const extras = url === undefined ? '' : url.username + url.password + url.search + url.hash;
  if (url?.protocol === 'https:' && extras === '' && !/[?#]/.test(baseUrl)) return url.href.replace(/\/+$/, '');
  const rule = 'An apiserver calls only https:// URLs without user info, query or fragment.';
  throw new AppError('UNPROCESSABLE', `The URL of convert cannot be used in a patch. ${rule} Set it to such a URL.`);
}
