import { AppError } from '../../errors.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { readSource } from '../input/files.ts';
import type { Io } from '../io.ts';
import { checkToken } from '../remote/access.ts';
import { sendRequest } from '../remote/http.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';
import type { Cluster } from './client.ts';
import { conversionOf, maskUrl } from './conversion-block.ts';
import { type Definition, readDefinition, type Source } from './definitions.ts';
import { checkGates, GATES, type Gate } from './gates.ts';
import { applyConversion, compareCrds, revertConversion, type WiredCrd, waitForCrds } from './wire.ts';
import { analyseFiles, fromRoundhouse, fromUrl, type WireSource } from './wire-source.ts';

export interface WireFlags {
  readonly url?: string | undefined;
  readonly caBundle?: string | undefined;
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly roundhouseContext?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly pathTokenFile?: string | undefined;
  readonly config?: string | undefined;
  readonly schema?: string | undefined;
  readonly skipCheck: readonly string[];
  readonly requestTimeout: string;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly forceConflicts: boolean;
}

/** The JSON of `wire`. */
export interface WireReport {
  readonly resourceKind: Source;
  readonly resource: string;
  readonly context: string;
  readonly action: 'wire' | 'revert';
  readonly dryRun: boolean;
  readonly checks: readonly Gate[];
  /** The address without its token. */
  readonly url?: string;
  readonly applied: boolean;
  /** Why nothing was done. */
  readonly reason?: string;
  readonly crds?: readonly WiredCrd[];
}

interface Deps {
  readonly io: Io;
  readonly waitMs: number;
  readonly timeoutMs: number;
}

/** Points a definition at a webhook when every check holds. @throws AppError */
export async function wireDefinition(
  cluster: Cluster,
  of: { readonly source: Source; readonly name: string },
  flags: WireFlags,
  { io, waitMs, timeoutMs }: Deps,
): Promise<WireReport> {
  const skip = parseSkipped(flags.skipCheck);
  const definition = await readDefinition(cluster, of.source, of.name);
  const { conversion, url, ca, analysed } = await sourceOf(flags, definition, io);
  const deps = { send: sendRequest, env: io.env, timeoutMs };
  const webhook = { url, ...(ca !== undefined && { ca }) };
  const { checkWebhook } = await import('./webhook-check.ts');
  const askWebhook = (sample: Parameters<typeof checkWebhook>[2]) =>
    checkWebhook(webhook, definition.target, sample, deps);
  const checks = await checkGates({ cluster, definition, analysed, url, skip, askWebhook });
  const report = {
    ...{ resourceKind: of.source, resource: of.name, context: cluster.context, action: 'wire' as const },
    ...{ dryRun: flags.dryRun, checks, url: maskUrl(url) },
  };
  if (checks.some(({ result }) => result === 'failed')) return { ...report, applied: false, reason: 'a check failed' };
  const options = { dryRun: flags.dryRun, force: flags.forceConflicts };
  const body = await applyConversion(cluster, definition, conversion, options);
  if (flags.dryRun) return { ...report, applied: false, reason: 'this is a dry run; the apiserver would take it' };
  return { ...report, applied: true, crds: await waitForCrds(cluster, { ...definition, body }, waitMs) };
}

/** Takes the webhook away. @throws AppError while that would make objects unreadable, unless forced */
export async function revertDefinition(
  cluster: Cluster,
  of: { readonly source: Source; readonly name: string },
  flags: WireFlags,
  { waitMs }: Deps,
): Promise<WireReport> {
  const definition = await readDefinition(cluster, of.source, of.name);
  const report = {
    ...{ resourceKind: of.source, resource: of.name, context: cluster.context, action: 'revert' as const },
    ...{ dryRun: flags.dryRun, checks: [] },
  };
  const wired = (await compareCrds(cluster, definition)).every(({ wired }) => wired);
  if (conversionOf(definition.body).strategy === 'None' && wired) {
    return { ...report, applied: false, reason: 'there is no webhook to take away' };
  }
  checkServed(definition, flags.force);
  await revertConversion(cluster, definition, { dryRun: flags.dryRun, force: flags.forceConflicts });
  if (flags.dryRun) return { ...report, applied: false, reason: 'this is a dry run; the apiserver would take it' };
  const after = await readDefinition(cluster, of.source, of.name);
  return { ...report, applied: true, crds: await waitForCrds(cluster, after, waitMs) };
}

function checkServed({ name, target }: Definition, force: boolean): void {
  const served = target.versions.filter((version) => version.served).map((version) => version.name);
  if (served.length < 2 || force) return;
  const reason =
    'without a webhook an object is given at another version with the same fields under another apiVersion';
  const hint = 'serve one version only, or add --force if all versions have the same fields';
  throw new AppError('CONFLICT', `${name} serves ${served.join(', ')}: ${reason}\n  ${hint}`);
}

export function exitOf({ applied, checks, crds }: WireReport): ExitCode {
  const failed = checks.some(({ result }) => result === 'failed');
  return failed || (applied && crds?.some(({ wired }) => !wired)) ? EXIT.finding : EXIT.ok;
}

async function sourceOf(flags: WireFlags, definition: Definition, io: Io): Promise<WireSource> {
  const ofFile = await analyseFiles(flags, definition, io);
  if (flags.url !== undefined) {
    const reviewVersions = ofFile?.reviewVersions ?? ['v1'];
    const source = await fromUrl(flags.url, { caBundle: flags.caBundle, reviewVersions }, io);
    return { ...source, ...(ofFile && { analysed: ofFile }) };
  }
  const { server, tokenFile, caFile, roundhouseContext: context } = flags;
  const access = { server, tokenFile, caFile, context, timeout: '60s' };
  const roundhouse = await openRoundhouse(access, io);
  const token = await readPathToken(flags.pathTokenFile, io);
  const source = await fromRoundhouse(roundhouse, definition, { endpoint: flags.endpoint, token });
  return { ...source, ...(ofFile && { analysed: ofFile }) };
}

async function readPathToken(path: string | undefined, io: Io): Promise<string> {
  const { ROUNDHOUSE_PATH_TOKEN: ofEnv } = io.env;
  if (path !== undefined) return checkToken((await readSource(path, 'path token', io)).text, path);
  if (ofEnv) return checkToken(ofEnv, 'ROUNDHOUSE_PATH_TOKEN');
  const hint = 'endpoints rotate gives a new one; the old one stays valid for a while';
  const ways = 'give --path-token-file FILE (- for standard input), or set ROUNDHOUSE_PATH_TOKEN';
  throw new AppError('BAD_REQUEST', `the path token of the endpoint is needed: ${ways}. ${hint}`);
}

function parseSkipped(names: readonly string[]): ReadonlySet<string> {
  const unknown = names.find((name) => !GATES.includes(name as never));
  if (unknown === undefined) return new Set(names);
  throw new AppError('BAD_REQUEST', `--skip-check ${unknown}: there is no such check; there are ${GATES.join(', ')}`);
}
