import { type Analysis, analyse, type ConversionSource } from '../../../engine/analyse.ts';
import { checkForm } from '../../../engine/analyse-list.ts';
import type { Diagnostic } from '../../../engine/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../../engine/json.ts';
import { AppError } from '../../../errors.ts';
import { compose } from './compose.ts';
import { invertRule } from './invert.ts';
import { createReport } from './report.ts';
import { type RuleView, renderRule, viewsOf } from './rule-view.ts';

/** A config turned around to another hub, and everything that is to be said of it. */
export interface Draft {
  readonly config: JsonObject;
  /** About rules of the given config: what the draft cannot do, and what it does differently. */
  readonly findings: readonly Diagnostic[];
  /** Of the draft, with the new hub as the storage version. */
  readonly analysis: Analysis;
}

/**
 * Rewrites a config around one of its spokes: the old hub becomes a spoke with the promoted version's rules turned
 * around, and every other spoke gets rules with the new hub that do what its rules and the promoted version's did one
 * after the other. Where no rule does, that is a finding, and the draft lacks the rule.
 *
 * @param document the config as it is written; only its `status` is left out
 * @throws AppError when the version is not one of the spokes, or a rule cannot be read
 */
export async function rehub(document: JsonObject, source: ConversionSource, to: string): Promise<Draft> {
  const { hubVersion, spokes } = source;
  checkVersion(source, to);
  const findings: Diagnostic[] = [];
  const report = createReport(findings);
  const schemaOf = (version: string): JsonObject =>
    source.versions.find(({ name }) => name === version)?.schema ?? { type: 'object' };
  const listOf = (version: string) =>
    viewsOf(spokes.find((spoke) => spoke.version === version)?.rules ?? [], { spoke: version });
  const hub = schemaOf(hubVersion);
  const promoted = listOf(to);
  const inverted = promoted.flatMap((rule) => invertRule(rule, { hub, report }) ?? []);
  const others = spokes
    .filter(({ version }) => version !== to)
    .map(({ version }) => {
      const schemas = { hub, promoted: schemaOf(to), other: schemaOf(version) };
      const names = { promoted: to, other: version };
      return { version, rules: compose({ schemas, promoted, other: listOf(version), names, depth: 0, report }) };
    });
  const drafted = [{ version: hubVersion, rules: inverted }, ...others].map(renderSpoke);
  const { status: _status, ...rest } = document;
  const spec = isObject(rest['spec']) ? rest['spec'] : {};
  return {
    config: { ...rest, spec: { ...spec, hubVersion: to, spokes: drafted as unknown as Json } },
    findings,
    analysis: await analyse({ ...source, hubVersion: to, spokes: drafted, versions: storedAt(source, to) }),
  };
}

/** The target as it will be when the draft is used. */
function storedAt({ versions }: ConversionSource, storage: string): ConversionSource['versions'] {
  return versions.map((version) => ({ ...version, storage: version.name === storage }));
}

function renderSpoke({ version, rules }: { version: string; rules: readonly RuleView[] }) {
  return { version, rules: rules.map(renderRule) };
}

function checkVersion({ hubVersion, spokes }: ConversionSource, to: string): void {
  const known = spokes.map(({ version }) => version).join(', ');
  if (to === hubVersion) throw new AppError('BAD_REQUEST', `${to} is the hub already; its spokes are ${known}`);
  if (!spokes.some(({ version }) => version === to)) {
    throw new AppError('BAD_REQUEST', `${to} is no spoke of the config; its spokes are ${known}`);
  }
  const broken = spokes.flatMap(({ rules }) => checkForm(rules))[0];
  if (broken === undefined) return;
  throw new AppError('CONFIG_INVALID', `a rule cannot be read: ${broken.message}: correct it first (convctl validate)`);
}
