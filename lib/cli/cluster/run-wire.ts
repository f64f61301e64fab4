import { AppError } from '../../errors.ts';
import { readPathToken } from '../authoring/patch/endpoint-url.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { sendRequest } from '../remote/http.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';
import type { Cluster } from './client.ts';
import { conversionOf } from './conversion-block.ts';
import { crdNames, type Definition, findCrd, readDefinition, type Source, versionsInUse } from './definitions.ts';
import { checkGates, GATES, type Gate, type GateInput } from './gates.ts';
import { maskUrl } from './mask.ts';
import { applyConversion, compareCrds, managersOfNone, revertConversion, type WiredCrd, waitForCrds } from './wire.ts';
import { analyseFiles, fromRoundhouse, fromUrl, TOKEN_WAYS, urlOf, type WireSource } from './wire-source.ts';

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
  const askWebhook: GateInput['askWebhook'] = (object, versions) => checkWebhook(webhook, object, versions, deps);
  const checks = await checkGates({ cluster, definition, analysed, url, skip, askWebhook });
  const report = {
    ...{ resourceKind: of.source, resource: of.name, context: cluster.context, action: 'wire' as const },
    ...{ dryRun: flags.dryRun, checks, url: maskUrl(url) },
  };
  if (checks.some(({ result }) => result === 'failed')) return { ...report, applied: false, reason: 'a check failed' };
  const options = { dryRun: flags.dryRun, force: flags.forceConflicts };
  const body = await applyConversion(cluster, definition, conversion, options);
  const managers = managersOfNone(definition).join(', ');
  if (managers !== '') io.err(`note: the strategy None of ${of.name} was of ${managers}; it is roundhouse's now\n`);
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
  if (!flags.force) await checkVersions(cluster, definition);
  await revertConversion(cluster, definition, { dryRun: flags.dryRun, force: flags.forceConflicts });
  if (flags.dryRun) return { ...report, applied: false, reason: 'this is a dry run; the apiserver would take it' };
  const after = await readDefinition(cluster, of.source, of.name);
  return { ...report, applied: true, crds: await waitForCrds(cluster, after, waitMs) };
}

/** @throws AppError while some CRD has objects of several versions, stored or asked for */
async function checkVersions(cluster: Cluster, definition: Definition): Promise<void> {
  const served = definition.target.versions.filter((version) => version.served).map((version) => version.name);
  for (const name of crdNames(definition)) {
    const crd = await findCrd(cluster, name);
    const stored = crd?.storedVersions ?? [];
    if (new Set([...served, ...(crd ? versionsInUse(crd) : [])]).size < 2) continue;
    const reason =
      'without a webhook an object is given at another version with the same fields under another apiVersion';
    const hint =
      'serve one version only and run migrate-storage --prune-stored-versions, or add --force if all have the same fields';
    const what = `${name} serves ${served.join(', ')} and may have objects stored at ${stored.join(', ')}`;
    throw new AppError('CONFLICT', `${what}: ${reason}\n  ${hint}`);
  }
}

export function exitOf({ applied, checks, crds }: WireReport): ExitCode {
  const failed = checks.some(({ result }) => result === 'failed');
  return failed || (applied && crds?.some(({ wired }) => !wired)) ? EXIT.finding : EXIT.ok;
}

async function sourceOf(flags: WireFlags, definition: Definition, io: Io): Promise<WireSource> {
  const ofFile = await analyseFiles(flags, definition, io);
  if (flags.url !== undefined) {
    const reviewVersions = ofFile?.reviewVersions ?? ['v1'];
    const { caBundle, pathTokenFile } = flags;
    const url = await urlOf(flags.url, pathTokenFile, definition, io);
    const source = await fromUrl(url, { caBundle, reviewVersions }, io);
    return { ...source, ...(ofFile && { analysed: ofFile }) };
  }
  const { server, tokenFile, caFile, roundhouseContext: context } = flags;
  const access = { server, tokenFile, caFile, context, timeout: flags.requestTimeout };
  const roundhouse = await openRoundhouse(access, io);
  const token = await readPathToken(flags.pathTokenFile, io);
  if (token === undefined) {
    const hint = 'endpoints rotate gives a new one; the old one stays valid for a while';
    throw new AppError('BAD_REQUEST', `the path token of the endpoint is needed: ${TOKEN_WAYS}. ${hint}`);
  }
  const source = await fromRoundhouse(roundhouse, definition, { endpoint: flags.endpoint, token });
  return { ...source, ...(ofFile && { analysed: ofFile }) };
}

function parseSkipped(names: readonly string[]): ReadonlySet<string> {
  const unknown = names.find((name) => !GATES.includes(name as never));
  if (unknown === undefined) return new Set(names);
  throw new AppError('BAD_REQUEST', `--skip-check ${unknown}: there is no such check; there are ${GATES.join(', ')}`);
}
