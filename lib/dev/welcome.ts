import { getOwn, type JsonObject } from '../engine/json.ts';
import { stringifyJson } from '../k8s/json.ts';
import type { Access } from './access.ts';
import type { SeededExample } from './examples.ts';
import type { DevelopmentTls } from './tls.ts';

interface WelcomeOptions {
  /** Where this machine reaches the server. */
  readonly url: string;
  /** Where an apiserver reaches it. */
  readonly convertUrl: string;
  readonly access: Access;
  /** Folder that keeps the data; in memory when absent. */
  readonly dataDir?: string;
  readonly examples: readonly SeededExample[];
  /** The default endpoint; with its path token when it was made at this start. */
  readonly endpoint: { readonly name: string; readonly token?: string };
}

/** The command that calls a path of the server; `rest` is what follows the URL. */
type Curl = (path: string, rest: string) => string;

/** What `npm start` prints: where it runs, the token, and commands to paste into a shell. */
export function renderWelcome(options: WelcomeOptions): string {
  const { url, access, dataDir, examples, endpoint } = options;
  const { rootToken, tls, openAs } = access;
  const target = examples[0]?.view.target ?? 'TARGET';
  const curl: Curl = (path, rest) =>
    `curl -s ${tls ? `--cacert ${quote(tls.caFile)} ` : ''}${quote(url + path)} ${rest}`;
  const auth = `-H 'authorization: Bearer ${rootToken}'`;
  const secretPath = endpoint.token && `/convert/${endpoint.name}/${endpoint.token}`;
  const convertPath = openAs === undefined ? '/convert' : secretPath;
  const convert = convertPath && examples.flatMap((example) => renderConvert(curl, convertPath, example) ?? []).at(0);
  return [
    `Roundhouse runs at ${url} (data ${dataDir ? `in ${dataDir}` : 'in memory'}, ${examples.length} examples; Ctrl-C stops it)`,
    `Bearer token: ${rootToken}`,
    ...(tls ? [renderAuthority(tls, dataDir)] : []),
    ...(openAs === undefined ? [] : renderOpen(options)),
    ...(convert ? ['', 'Convert an object:', '', convert] : []),
    ...(secretPath ? ['', `As in production, with a path token: ${url}${secretPath}/${target}`] : []),
    '',
    'List the configs:',
    '',
    curl('/api/v1/configs', auth),
    ...renderApp(options),
    ...(tls ? renderPatch(curl, options, target, auth) : []),
    '',
  ].join('\n');
}

/** Only this machine reaches apps, and so the server that they are deployed to. */
function renderApp({ url, access: { rootToken, tls } }: WelcomeOptions): string[] {
  const ca = tls ? ` --ca-file ${quote(tls.caFile)}` : '';
  return [
    '',
    'Deploy an app, in another shell in the folder of the repository:',
    '',
    `echo ${rootToken} | npx roundhouse login --server ${url}${ca} --token -`,
    'npx roundhouse apps deploy hello examples/apps/json-api --create',
  ];
}

function renderAuthority({ caFile, isNewAuthority }: DevelopmentTls, dataDir: string | undefined): string {
  const patchAgain = 'CRDs that were patched before need the patch again';
  const ofThisRun = `of this run only: after a restart ${patchAgain}; --data DIR keeps it`;
  const kept = isNewAuthority ? `made now: ${patchAgain}` : 'kept from before';
  return `CA certificate: ${caFile} (${dataDir === undefined ? ofThisRun : kept})`;
}

function renderOpen({ convertUrl, dataDir }: WelcomeOptions): string[] {
  const kept = dataDir === undefined ? 'of this run only' : 'kept with the data';
  return [
    '',
    `Open to the network: it listens on all interfaces, for apiservers that reach it at ${convertUrl}.`,
    `So the bearer token is a random one, ${kept}, and nothing is converted without a path token.`,
  ];
}

function renderPatch(
  curl: Curl,
  { convertUrl, endpoint: { name, token } }: WelcomeOptions,
  target: string,
  auth: string,
): string[] {
  const patch = curl(`/api/v1/configs/${target}/patch?token=${token ?? 'PATH-TOKEN'}`, auth);
  const rotate = curl(`/api/v1/endpoints/${name}/rotate`, `-X POST ${auth}`);
  const why = 'PATH-TOKEN was shown when the data was new. This makes another; the one before works for a day more:';
  return [
    '',
    `Point a CRD of your cluster at it (its apiserver must reach ${convertUrl}):`,
    '',
    `${patch} | kubectl apply --server-side --field-manager=roundhouse -f -`,
    ...(token === undefined ? ['', why, '', rotate] : []),
  ];
}

/** One line of shell: a review of the example's first object, to another version than its own. */
function renderConvert(curl: Curl, path: string, { view, objects }: SeededExample): string | undefined {
  const object = objects[0];
  if (object === undefined) return undefined;
  const from = versionOf(object);
  const to = [view.hubVersion, ...view.spokes.map(({ version }) => version)].find((version) => version !== from);
  if (to === undefined) return undefined;
  const review = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'example-1', desiredAPIVersion: `${view.group}/${to}`, objects: [object] },
  };
  return curl(`${path}/${view.target}`, `-d ${quote(stringifyJson(review))}`);
}

function versionOf(object: JsonObject): string {
  return String(getOwn(object, 'apiVersion')).replace(/^.*\//, '');
}

/** A shell word: in single quotes nothing is special but the quote itself. */
function quote(text: string): string {
  if (/^[\w./:-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
