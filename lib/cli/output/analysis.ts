import type { RuleReport, SpokeAnalysis } from '../../engine/analyse.ts';
import type { Severity } from '../../engine/diagnostic.ts';
import type { Lossless } from '../../engine/strategy.ts';
import type { Judged } from '../input/batch.ts';
import type { Io } from '../io.ts';
import { printable } from './printable.ts';
import { paint } from './style.ts';
import { renderTable } from './table.ts';

/** JSON of an analysis: the keys of the Go tool, then everything else that is known. */
export function analysisJson(judged: Judged) {
  const { name, kind, config, schema, analysis, findings } = judged;
  const diagnostics = findings.map(({ of, diagnostic }) => ({ of, ...diagnostic }));
  const ok = !diagnostics.some(({ severity }) => severity === 'error');
  return {
    resourceKind: kind ?? '',
    resource: schema?.name ?? config?.target ?? '',
    config: config?.name ?? '',
    hubVersion: config?.hubVersion ?? '',
    lossless: ok && analysis?.lossless === true,
    spokes: (analysis?.spokes ?? []).map((spoke) => spokeJson(spoke, judged)),
    file: name,
    diagnostics,
  };
}

function spokeJson({ version, lossless, rules, uncoveredHub, uncoveredSpoke }: SpokeAnalysis, judged: Judged) {
  const [errors, warnings] = [messages(judged, version, 'error'), messages(judged, version, 'warning')];
  return {
    version,
    losslessHubToSpoke: lossless.hubToSpoke,
    losslessSpokeToHub: lossless.spokeToHub,
    ...(errors.length > 0 && { errors }),
    ...(warnings.length > 0 && { warnings }),
    rulesEvaluated: rules.length,
    rules,
    uncoveredHub,
    uncoveredSpoke,
  };
}

function messages({ findings }: Judged, spoke: string, severity: Severity): string[] {
  const of = findings.filter(({ diagnostic: found }) => found.spoke === spoke && found.severity === severity);
  return of.map(({ diagnostic }) => diagnostic.message);
}

/** What an analysis found, spoke by spoke; its findings are not in it. */
export function renderAnalysis(judged: Judged, io: Io, { rules }: { readonly rules: boolean }): string {
  const { kind, config, schema, analysis } = judged;
  if (!config) return '';
  const head = [
    `${kind}:`.padEnd(8) + (schema?.name || config.target || '(unnamed)'),
    `Config: ${config.name || '(unnamed)'}`,
    `Hub:    ${config.hubVersion}`,
  ];
  const title = head.map(printable).join('\n');
  if (!analysis) return `${title}\n`;
  const rows = analysis.spokes.map(({ version, lossless, rules: { length } }) => {
    const issues = ['error', 'warning'].reduce(
      (sum, level) => sum + messages(judged, version, level as Severity).length,
      0,
    );
    return [
      version,
      verdict(io, lossless.hubToSpoke),
      verdict(io, lossless.spokeToHub),
      String(length),
      String(issues),
    ];
  });
  const table = renderTable([['SPOKE', 'HUB→SPOKE', 'SPOKE→HUB', 'RULES', 'ISSUES'], ...rows]);
  const detail = rules ? analysis.spokes.map((spoke) => `\n${renderRules(spoke)}`).join('') : '';
  return `${title}\n\n${table}${detail}`;
}

function verdict(io: Io, lossless: boolean): string {
  return lossless ? paint(io, 'green', 'lossless') : paint(io, 'yellow', 'lossy');
}

function renderRules({ version, rules }: SpokeAnalysis): string {
  const rows = rules.map(({ index, strategy, hubPaths, spokePaths, lossless }: RuleReport) => [
    version,
    String(index),
    strategy,
    losses(lossless),
    hubPaths.join(', ') || '-',
    spokePaths.join(', ') || '-',
  ]);
  return renderTable([['SPOKE', 'RULE', 'STRATEGY', 'LOSES', 'HUB FIELDS', 'SPOKE FIELDS'], ...rows]);
}

function losses({ hubToSpoke, spokeToHub }: Lossless): string {
  if (hubToSpoke && spokeToHub) return 'nothing';
  if (hubToSpoke) return 'spoke→hub';
  return spokeToHub ? 'hub→spoke' : 'both ways';
}
