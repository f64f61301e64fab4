import { analyseList, checkForm, type ListAnalysis } from './analyse-list.ts';
import { type Diagnostic, hasErrors } from './diagnostic.ts';
import type { Json, JsonObject } from './json.ts';
import { loadLibraries } from './libraries.ts';
import { leavesOf, shapeOf, type VersionSchema } from './schema.ts';
import type { Lossless } from './strategy.ts';

/** Everything that a plan is made from. */
export interface ConversionSource {
  readonly hubVersion: string;
  readonly versions: readonly VersionSchema[];
  /** `rules` are the raw entries of the config. */
  readonly spokes: readonly { readonly version: string; readonly rules: readonly Json[] }[];
  /** What an unconverted field is: an error (default) or a warning that makes the verdict lossy (D16). */
  readonly unmappedFieldPolicy?: 'Error' | 'Warn';
}

export interface RuleReport {
  readonly index: number;
  readonly strategy: string;
  readonly hubPaths: readonly string[];
  readonly spokePaths: readonly string[];
  readonly lossless: Lossless;
}

export interface SpokeAnalysis {
  readonly version: string;
  readonly lossless: Lossless;
  readonly uncoveredHub: readonly string[];
  readonly uncoveredSpoke: readonly string[];
  readonly rules: readonly RuleReport[];
  /** What `compile` builds on; undefined when a schema is missing. */
  readonly list: ListAnalysis | undefined;
}

export interface Analysis {
  /** No error among the diagnostics: the config can be compiled. */
  readonly ok: boolean;
  readonly hubVersion: string;
  /** Every spoke keeps every value, both ways. */
  readonly lossless: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly spokes: readonly SpokeAnalysis[];
}

/**
 * Analyses a config against the schemas of its target: claims, coverage, losslessness. Findings are collected, all at
 * once; a bad config never throws. Asynchronous only because CEL and RE2 are loaded when a rule needs them.
 */
export async function analyse(source: ConversionSource): Promise<Analysis> {
  await loadLibraries(source.spokes.flatMap((spoke) => spoke.rules));
  const diagnostics: Diagnostic[] = [...hubFindings(source), ...servedFindings(source)];
  const hub = schemaOf(source, source.hubVersion, diagnostics);
  const hubLeaves = hub === undefined ? [] : leavesOf(hub);
  const spokes = source.spokes.map(({ version, rules }): SpokeAnalysis => {
    diagnostics.push(...spokeFindings(source, version));
    const spoke = schemaOf(source, version, diagnostics);
    if (hub === undefined || spoke === undefined) {
      diagnostics.push(...checkForm(rules).map((found) => ({ ...found, spoke: version })));
      const lossless = { hubToSpoke: false, spokeToHub: false };
      return { version, lossless, uncoveredHub: [], uncoveredSpoke: [], rules: [], list: undefined };
    }
    const policy = source.unmappedFieldPolicy === 'Warn' ? 'Warn' : 'Error';
    const list = analyseList({
      hub,
      spoke,
      rules,
      policy,
      depth: 0,
      ownedInParts: true,
      prefix: { hub: '', spoke: '' },
      hubLeaves,
    });
    diagnostics.push(...list.diagnostics.map((found) => ({ ...found, spoke: version })));
    return {
      version,
      lossless: list.lossless,
      uncoveredHub: list.uncovered.hub,
      uncoveredSpoke: list.uncovered.spoke,
      rules: list.rules.map(({ rule, hubPaths, spokePaths, lossless }) => {
        return { index: rule.index, strategy: rule.strategy, hubPaths, spokePaths, lossless };
      }),
      list,
    };
  });
  const lossless = spokes.every((spoke) => spoke.lossless.hubToSpoke && spoke.lossless.spokeToHub);
  return { ok: !hasErrors(diagnostics), hubVersion: source.hubVersion, lossless, diagnostics, spokes };
}

function names(source: ConversionSource): string {
  return source.versions.map((version) => version.name).join(', ') || 'none';
}

function hubFindings(source: ConversionSource): Diagnostic[] {
  const hub = source.versions.find((version) => version.name === source.hubVersion);
  if (hub === undefined) {
    const message = `hub version ${source.hubVersion} is not a version of the target`;
    return [error('HUB_UNKNOWN', message, `the target has: ${names(source)}`, { path: 'spec.hubVersion' })];
  }
  if (hub.storage) return [];
  const storage = source.versions.find((version) => version.storage)?.name ?? 'none';
  const message = `hub version ${source.hubVersion} must be the storage version (the target stores ${storage})`;
  return [
    error('HUB_NOT_STORAGE', message, 'write the rules against the storage version', { path: 'spec.hubVersion' }),
  ];
}

/** A served version without a spoke entry cannot be converted (D19: a warning). */
function servedFindings(source: ConversionSource): Diagnostic[] {
  const configured = new Set([source.hubVersion, ...source.spokes.map((spoke) => spoke.version)]);
  return source.versions
    .filter((version) => version.served && !configured.has(version.name))
    .map(({ name }) => ({
      code: 'VERSION_WITHOUT_SPOKE',
      severity: 'warning',
      message: `version ${name} is served but has no spoke entry: requests for it will fail`,
      path: 'spec.spokes',
      hint: `add a spoke for ${name}, or stop serving it`,
    }));
}

function spokeFindings(source: ConversionSource, spoke: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (spoke === source.hubVersion) {
    found.push(error('SPOKE_IS_HUB', `spoke ${spoke} is the hub`, 'rules are for the other versions', { spoke }));
  }
  if (source.spokes.filter(({ version }) => version === spoke).length > 1) {
    found.push(error('SPOKE_DUPLICATE', `spoke ${spoke} is listed twice`, 'merge its rules into one entry', { spoke }));
  }
  const version = source.versions.find(({ name }) => name === spoke);
  if (version === undefined) {
    const message = `spoke version ${spoke} is not a version of the target`;
    found.push(error('SPOKE_UNKNOWN', message, `the target has: ${names(source)}`, { spoke }));
  } else if (!version.served) {
    const message = `spoke version ${spoke} is not served; it keeps a plan for what managedFields still name`;
    const hint =
      'keep the spoke, and the version in the CRD, until no managedFields name it: without, server-side apply fails';
    found.push({ code: 'SPOKE_NOT_SERVED', severity: 'warning', message, spoke, path: 'spec.spokes', hint });
  }
  return found;
}

/** The schema of a known version; a missing or opaque one is an error (D11). */
function schemaOf(source: ConversionSource, name: string, diagnostics: Diagnostic[]): JsonObject | undefined {
  const version = source.versions.find((candidate) => candidate.name === name);
  if (version === undefined) return undefined;
  const at = name === source.hubVersion ? {} : { spoke: name };
  const { schema } = version;
  if (schema === undefined) {
    diagnostics.push(error('SCHEMA_MISSING', `version ${name} has no schema`, 'give it an openAPIV3Schema', at));
    return undefined;
  }
  const { kind, opaque, construct } = shapeOf(schema);
  if (kind !== 'object' || opaque || construct !== undefined) {
    const message = `the schema of version ${name} is ${construct ?? (opaque ? 'opaque' : kind)} at its root`;
    const hint = 'declare type: object with properties at the root, without x-kubernetes-preserve-unknown-fields there';
    diagnostics.push(error('SCHEMA_ROOT_OPAQUE', message, hint, at));
    return undefined;
  }
  return schema;
}

function error(code: string, message: string, hint: string, more: { spoke?: string; path?: string } = {}): Diagnostic {
  return { code, severity: 'error', message, hint, path: 'spec.spokes', ...more };
}
