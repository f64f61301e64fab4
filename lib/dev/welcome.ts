import { getOwn, type JsonObject } from '../engine/json.ts';
import { stringifyJson } from '../k8s/json.ts';
import type { SeededExample } from './examples.ts';

interface WelcomeOptions {
  readonly url: string;
  readonly token: string;
  /** Folder that keeps the data; in memory when absent. */
  readonly dataDir?: string;
  readonly examples: readonly SeededExample[];
  /** The endpoint that was made at this start, with its path token. */
  readonly endpoint?: { readonly name: string; readonly token: string };
}

/** What `npm start` prints: where it runs, the token, and commands to paste into a shell. */
export function renderWelcome({ url, token, dataDir, examples, endpoint }: WelcomeOptions): string {
  const convert = examples.flatMap((example) => renderConvert(url, example) ?? []).at(0);
  const target = examples[0]?.view.target ?? 'TARGET';
  const secretUrl = endpoint && `${url}/convert/${endpoint.name}/${endpoint.token}/${target}`;
  return [
    `Roundhouse runs at ${url} (data ${dataDir ? `in ${dataDir}` : 'in memory'}, ${examples.length} examples; Ctrl-C stops it)`,
    `Bearer token: ${token}`,
    ...(convert ? ['', 'Convert an object:', '', convert] : []),
    ...(secretUrl ? ['', `As in production, with a path token: ${secretUrl}`] : []),
    '',
    'List the configs:',
    '',
    `curl -s ${url}/api/v1/configs -H 'authorization: Bearer ${token}'`,
    '',
  ].join('\n');
}

/** One line of shell: a review of the example's first object, to another version than its own. */
function renderConvert(url: string, { view, objects }: SeededExample): string | undefined {
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
  return `curl -s ${url}/convert/${view.target} -d ${quote(stringifyJson(review))}`;
}

function versionOf(object: JsonObject): string {
  return String(getOwn(object, 'apiVersion')).replace(/^.*\//, '');
}

/** A shell word: in single quotes nothing is special but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
