import type { Finding } from '../../configs/inspect.ts';
import { readResource } from '../../configs/resource.ts';
import type { EndpointResult, EndpointView } from '../../configs/types.ts';
import { getOwn, type Json } from '../../engine/json.ts';
import { parseDurationSeconds } from '../../engine/values/duration.ts';
import { AppError } from '../../errors.ts';
import { stringifyJson } from '../../k8s/json.ts';
import type { SourceText } from '../input/files.ts';
import type { Io } from '../io.ts';
import { renderFindings } from '../output/findings.ts';
import { printJson } from '../output/json.ts';
import type { Listing } from '../output/listing.ts';
import { printable } from '../output/printable.ts';
import type { Roundhouse } from './roundhouse.ts';
import { openTokenFile } from './token-file.ts';

export const ENDPOINT_LISTING: Listing<EndpointView> = {
  none: 'no endpoints',
  name: ({ name }) => name,
  columns: [
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'DEFAULT', cell: (endpoint) => (endpoint.default ? '*' : '') },
    { header: 'SELECTOR', cell: ({ selector }) => (selector ? renderSelector(selector) : '') },
    { header: 'TOKENS', cell: ({ tokens }) => tokens.map(renderToken).join(', ') },
    { header: 'CREATED', cell: ({ createdAt }) => createdAt, wide: true },
    { header: 'UPDATED', cell: ({ updatedAt }) => updatedAt, wide: true },
  ],
};

function renderToken({ createdAt, expiresAt }: EndpointView['tokens'][number]): string {
  return expiresAt === undefined ? `since ${createdAt}` : `until ${expiresAt}`;
}

/** As kubectl writes one. */
function renderSelector({ matchLabels = {}, matchExpressions = [] }: NonNullable<EndpointView['selector']>): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...labels, ...expressions].join(',');
}

/** A result, or why there is none: errors of the file. */
interface EndpointPut {
  readonly result?: EndpointResult;
  readonly findings: readonly Finding[];
}

/** Creates an endpoint, or changes it to what the file says; the file may hold other documents. */
export async function putEndpointFile(
  roundhouse: Roundhouse,
  name: string,
  { text }: SourceText,
): Promise<EndpointPut> {
  const isServer = (kind: Json | undefined) => kind === 'ConversionWebhookServer';
  const alone = readResource(text, 'config', stringifyJson).value !== undefined;
  const chosen = readResource(text, 'config', stringifyJson, (value) => isServer(getOwn(value, 'kind')));
  if (!chosen.value) return { findings: found(chosen.diagnostics) };
  try {
    const result = await roundhouse.putEndpoint(name, alone ? text : chosen.value.value);
    return { result, findings: found(result.diagnostics) };
  } catch (error) {
    const diagnostics = error instanceof AppError ? error.details.diagnostics : undefined;
    if (diagnostics === undefined) throw error;
    return { findings: found(diagnostics) };
  }
}

/** Creates an endpoint; one that is there keeps what it has, and only becomes the default if that is wanted. */
export async function putEndpointNamed(
  roundhouse: Roundhouse,
  name: string,
  wanted: { readonly default: boolean },
): Promise<EndpointResult> {
  const before = await roundhouse.endpoint(name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  const isDefault = wanted.default || before?.default === true;
  const resource = {
    apiVersion: 'terasky.com/v1alpha1',
    kind: 'ConversionWebhookServer',
    metadata: { name },
    spec: { default: isDefault, ...(before?.selector && { cacheSelector: before.selector as unknown as Json }) },
  };
  return await roundhouse.putEndpoint(name, resource, { ifMatch: before?.etag });
}

function found(diagnostics: EndpointResult['diagnostics']): Finding[] {
  return diagnostics.map((diagnostic) => ({ of: 'config', diagnostic }));
}

/** What is in a file is said beside the data, which is the token. */
export function sayFindings(findings: readonly Finding[], config: SourceText, io: Io): void {
  io.err(renderFindings(findings, { config }, { ...io, colour: io.colour && io.terminal.err !== undefined }));
}

/**
 * Does what may make a token, and prints what came of it. It is the only time that the token is shown: alone on the data
 * stream, so that `TOKEN=$(…)` gets it and nothing else, or in a file.
 * @param act undefined when it was refused, which it said itself
 * @returns whether there is a result
 */
export async function printResult(
  act: () => Promise<EndpointResult | undefined>,
  { output, tokenOut }: { readonly output: string; readonly tokenOut?: string | undefined },
  io: Io,
): Promise<boolean> {
  const file = tokenOut === undefined ? undefined : await openTokenFile(tokenOut, io);
  try {
    const result = await act();
    if (result === undefined) return false;
    const { token, ...rest } = result;
    if (file && token !== undefined) await file.write(token);
    if (output === 'json') printJson(io, file ? rest : result);
    else if (token !== undefined && !file) io.out(`${token}\n`);
    if (token !== undefined) io.err(secretNote(result, file?.path));
    return true;
  } finally {
    await file?.close();
  }
}

function secretNote({ endpoint: { name, tokens } }: EndpointResult, path: string | undefined): string {
  const old = tokens.find(({ expiresAt }) => expiresAt !== undefined)?.expiresAt;
  const rest = old === undefined ? '' : `; the one before it is valid until ${old}`;
  const where = path === undefined ? 'is shown only now' : `is in ${path}, and is not shown again`;
  return `${printable(`warning: this path token ${where}. Keep it as a secret: it is the key to ${name}${rest}`)}\n`;
}

/** A Go duration in seconds. @throws AppError BAD_REQUEST */
export function parseGrace(text: string): number {
  try {
    const found = parseDurationSeconds(text);
    if (found >= 0) return found;
  } catch {
    // The message below says what is right.
  }
  throw new AppError('BAD_REQUEST', `--grace takes a time such as 0s, 30m or 24h, not "${text}"`);
}
