import { inspect } from '../../configs/inspect.ts';
import { readResource } from '../../configs/resource.ts';
import { hasErrors } from '../../engine/diagnostic.ts';
import { getOwn, type Json, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { stringifyJson } from '../../k8s/json.ts';
import { parseEndpointUrl, readPathToken, withToken } from '../authoring/patch/endpoint-url.ts';
import { readSource } from '../input/files.ts';
import type { Io } from '../io.ts';
import type { Roundhouse } from '../remote/roundhouse.ts';
import { at, type Definition } from './definitions.ts';
import type { Analysed } from './gates.ts';
import { blockOf } from './wire.ts';

/** Where a definition shall be pointed at, and what is known of the config behind it. */
export interface WireSource {
  readonly conversion: JsonObject;
  readonly url: string;
  /** PEM. */
  readonly ca?: string;
  readonly analysed?: Analysed;
}

/** What is needed of a Roundhouse for that. */
export type PatchSource = Pick<Roundhouse, 'server' | 'config' | 'revision' | 'patch'>;

interface FileFlags {
  readonly config?: string | undefined;
  readonly schema?: string | undefined;
}

/** The active revision of a Roundhouse, and the patch that it makes. @throws AppError */
export async function fromRoundhouse(
  roundhouse: PatchSource,
  { name }: Definition,
  { endpoint, token }: { readonly endpoint?: string | undefined; readonly token: string },
): Promise<WireSource> {
  const { revision } = await roundhouse.config(name);
  const { config, schema } = await roundhouse.revision(name, revision);
  const { conversion, url } = blockOf(await roundhouse.patch(name, { endpoint, token }));
  const bundle = at(conversion, 'webhook', 'clientConfig', 'caBundle');
  const analysed = await analyseTexts(`revision ${revision} is active at ${roundhouse.server}`, { config, schema });
  return {
    conversion,
    url,
    analysed,
    ...(typeof bundle === 'string' && { ca: Buffer.from(bundle, 'base64').toString() }),
  };
}

export const TOKEN_WAYS = 'give --path-token-file FILE (- for standard input), or set ROUNDHOUSE_PATH_TOKEN';

/** The URL of `--url`, with the path token where it is that of an endpoint. @throws AppError, which never repeats it */
export async function urlOf(
  text: string,
  pathTokenFile: string | undefined,
  { name }: Definition,
  io: Io,
): Promise<string> {
  const url = parseEndpointUrl(text);
  const [endpoint, ...more] = url.parts;
  if (more.length > 0) {
    const reason = 'a token on the command line stays in the history of the shell, and everybody sees it in `ps`';
    throw new AppError('BAD_REQUEST', `--url must end with /convert/ENDPOINT: ${reason}. Instead ${TOKEN_WAYS}`);
  }
  const isEndpoint = endpoint !== undefined && endpoint !== name;
  if (!isEndpoint && pathTokenFile !== undefined) {
    throw new AppError('BAD_REQUEST', '--path-token-file is for a --url that ends with /convert/ENDPOINT');
  }
  // That of the environment is for an endpoint too: another webhook must not come to know it.
  const token = isEndpoint ? await readPathToken(pathTokenFile, io) : undefined;
  return token === undefined ? url.href : withToken(url, token, name);
}

/** A URL that is known already. @throws AppError */
export async function fromUrl(
  url: string,
  { caBundle, reviewVersions }: { readonly caBundle?: string | undefined; readonly reviewVersions: readonly string[] },
  io: Io,
): Promise<WireSource> {
  const ca = caBundle === undefined ? undefined : await readBundle(caBundle, io);
  const clientConfig = { url, ...(ca !== undefined && { caBundle: Buffer.from(ca).toString('base64') }) };
  const webhook = { clientConfig, conversionReviewVersions: [...reviewVersions] };
  return { conversion: { strategy: 'Webhook', webhook }, url, ...(ca !== undefined && { ca }) };
}

/** A config in a file, with its schema in another, or with the one that the cluster has. */
export async function analyseFiles(
  { config, schema }: FileFlags,
  definition: Definition,
  io: Io,
): Promise<Analysed | undefined> {
  if (config === undefined) return undefined;
  const { text } = await readSource(config, 'config', io);
  const given = schema === undefined ? definition.body : (await readSource(schema, 'schema', io)).text;
  return await analyseTexts(config, { config: text, schema: given });
}

async function analyseTexts(from: string, texts: { readonly config: Json; readonly schema: Json }): Promise<Analysed> {
  const read = (what: 'config' | 'schema', pattern: RegExp) =>
    readResource(texts[what], what, stringifyJson, (value) => pattern.test(String(getOwn(value, 'kind'))));
  const documents = { config: read('config', /ConversionConfig$/), schema: read('schema', /Definition$/) };
  const { config, schema, findings } = await inspect(documents);
  const diagnostics = findings.map(({ diagnostic }) => diagnostic);
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  if (config === undefined || schema === undefined) {
    throw new AppError('CONFIG_INVALID', `${from}: ${first?.message ?? 'there is no config'}`);
  }
  return {
    from,
    schema,
    versions: [config.hubVersion, ...config.spokes.map(({ version }) => version)],
    target: config.target,
    reviewVersions: config.reviewVersions,
    ...(hasErrors(diagnostics) && { fault: `${from} has errors: ${first?.message}` }),
  };
}

/** PEM, also out of the base64 of it that CRDs hold. @throws AppError */
async function readBundle(path: string, io: Io): Promise<string> {
  const { text } = await readSource(path, 'CA bundle', io);
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text.replace(/\s/g, ''), 'base64').toString();
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new AppError('BAD_REQUEST', `the CA bundle ${path} holds no certificate: give PEM, or the base64 of it`);
}
