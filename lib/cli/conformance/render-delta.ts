import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/style.ts';
import type { ConfigDelta, RuleClaim, SpokeDelta } from './compare.ts';

export interface NamedDelta extends ConfigDelta {
  readonly resourceKind: string;
  readonly resource: string;
  readonly from: string;
  readonly to: string;
}

/** A comparison as text: `-` is what only the first has, `+` what only the second has, `~` what both have otherwise. */
export function renderDelta(delta: NamedDelta, io: Io): string {
  const lines = [printable(`${delta.resourceKind} ${delta.resource}: ${delta.from} → ${delta.to}`)];
  const { hubVersionChange: hub } = delta;
  if (!delta.hasDeltas) lines.push('no differences');
  if (hub) lines.push(paint(io, 'yellow', `~ hub version ${hub.from} → ${hub.to}`));
  lines.push(...marked(io, '-', 'spoke', delta.spokesRemoved ?? []));
  lines.push(...marked(io, '+', 'spoke', delta.spokesAdded ?? []));
  if (delta.findings) lines.push(...messages(io, delta.findings));
  for (const spoke of delta.spokes ?? []) lines.push('', printable(`spoke ${spoke.version}`), ...spokeLines(spoke, io));
  return `${lines.join('\n')}\n`;
}

function spokeLines(spoke: SpokeDelta, io: Io): string[] {
  const lossless = spoke.losslessChanges.map(
    ({ direction, from, to }) => `${direction}: ${verdict(from)} → ${verdict(to)}`,
  );
  return [
    ...marked(io, '-', 'rule', spoke.ruleClaimsRemoved.map(claimText)),
    ...marked(io, '+', 'rule', spoke.ruleClaimsAdded.map(claimText)),
    ...marked(io, '~', 'rule', spoke.rulesChanged.map(claimText)),
    ...marked(io, '~', 'verdict', lossless),
    ...marked(io, '-', 'uncovered hub field', spoke.uncoveredHubRemoved),
    ...marked(io, '+', 'uncovered hub field', spoke.uncoveredHubAdded),
    ...marked(io, '-', 'uncovered spoke field', spoke.uncoveredSpokeRemoved),
    ...marked(io, '+', 'uncovered spoke field', spoke.uncoveredSpokeAdded),
    ...messages(io, spoke),
  ].map((line) => `  ${line}`);
}

function messages(
  io: Io,
  of: Pick<SpokeDelta, 'errorsAdded' | 'errorsRemoved' | 'warningsAdded' | 'warningsRemoved'>,
): string[] {
  return [
    ...marked(io, '-', 'error', of.errorsRemoved),
    ...marked(io, '+', 'error', of.errorsAdded),
    ...marked(io, '-', 'warning', of.warningsRemoved),
    ...marked(io, '+', 'warning', of.warningsAdded),
  ];
}

const COLOURS = { '-': 'red', '+': 'green', '~': 'yellow' } as const;

function marked(io: Io, mark: '-' | '+' | '~', what: string, items: readonly string[]): string[] {
  return items.map((item) => paint(io, COLOURS[mark], `${mark} ${what} ${item}`));
}

function claimText({ strategy, hubPaths, spokePaths }: RuleClaim): string {
  const [hub, spoke] = [hubPaths.join(', '), spokePaths.join(', ')];
  return `${strategy} ${hub === spoke || spoke === '' ? hub : hub === '' ? spoke : `${hub} ↔ ${spoke}`}`;
}

function verdict(lossless: boolean): string {
  return lossless ? 'lossless' : 'lossy';
}
