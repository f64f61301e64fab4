import type { ListAnalysis, ListInput } from './analyse-list.ts';
import type { Claims, Extent } from './claims.ts';
import { isWellKnown } from './coverage.ts';
import type { Diagnostic, Severity } from './diagnostic.ts';
import type { Json, JsonObject } from './json.ts';
import { type Path, parsePath, renderPath, reservedSegment } from './path.ts';
import type { Rule } from './rule.ts';
import { lookup, shapeOf } from './schema.ts';
import { type Field, LOSSY, type Lossless, type RuleScope, type Side } from './strategy.ts';

type AnalyseNested = (items: { hub: Field; spoke: Field }, rules: readonly Json[]) => ListAnalysis | undefined;

/** The view of one rule on the list that is being analysed: see {@link RuleScope}. */
export class Scope implements RuleScope {
  readonly claimed: Record<Side, string[]> = { hub: [], spoke: [] };
  nestedList: ListAnalysis | undefined;
  private readonly rule: Rule;
  private readonly input: ListInput;
  private readonly claims: Record<Side, Claims>;
  private readonly diagnostics: Diagnostic[];
  private readonly analyseNested: AnalyseNested;

  constructor(
    rule: Rule,
    input: ListInput,
    claims: Record<Side, Claims>,
    diagnostics: Diagnostic[],
    analyseNested: AnalyseNested,
  ) {
    this.rule = rule;
    this.input = input;
    this.claims = claims;
    this.diagnostics = diagnostics;
    this.analyseNested = analyseNested;
  }

  schema(side: Side): JsonObject {
    return this.input[side];
  }

  field(side: Side, text: string): Field | undefined {
    const path = parsePath(text);
    if (!this.isAllowed(path, `${side} path "${text}"`)) return undefined;
    const found = lookup(this.input[side], path);
    if ('reason' in found) {
      const hint = `check the spelling against the ${side} version's schema`;
      this.error('PATH_UNRESOLVED', `${side} path ${text} does not exist: ${found.reason}`, { path: text, hint });
      return undefined;
    }
    return { ...shapeOf(found.node), text, path, node: found.node };
  }

  claim(side: Side, field: Field | undefined): void {
    if (field !== undefined) this.take(side, field.path, 'field');
  }

  claimTree(side: Side, field: Field | undefined): void {
    if (field !== undefined) this.take(side, field.path, 'tree');
  }

  claimPath(side: Side, path: Path): void {
    if (this.isAllowed(path, `path "${renderPath(path)}"`)) this.take(side, path, 'pointer');
  }

  claimInside(side: Side, path: Path): void {
    if (this.isAllowed(path, `path "${renderPath(path)}"`)) this.take(side, path, 'inside');
  }

  error(code: string, message: string, extra: { path?: string; hint?: string } = {}): void {
    this.report('error', code, message, extra);
  }

  warn(code: string, message: string, extra: { path?: string; hint?: string } = {}): void {
    this.report('warning', code, message, extra);
  }

  nested(items: { hub: Field; spoke: Field }, rules: readonly Json[]): Lossless {
    this.nestedList = this.analyseNested(items, rules);
    return this.nestedList?.lossless ?? LOSSY;
  }

  checkAcknowledged(lossless: Lossless): void {
    if (this.rule.acknowledgeLossy) return;
    const hint = 'add `acknowledgeLossy: true` with a `reason`, or choose parameters that keep the value';
    if (!lossless.hubToSpoke) this.error('LOSSY_HUB_TO_SPOKE', 'hub to spoke can lose data', { hint });
    if (!lossless.spokeToHub) this.error('LOSSY_SPOKE_TO_HUB', 'spoke to hub can lose data', { hint });
  }

  checkWhen(): void {
    const { when } = this.rule;
    if (when === undefined) return;
    for (const side of ['hub', 'spoke'] as const) {
      const found = lookup(this.input[side], parsePath(when.path));
      if (!('reason' in found)) continue;
      const message = `when.path ${when.path} does not exist on the ${side}: ${found.reason}`;
      this.error('WHEN_UNRESOLVED', message, { path: when.path, hint: 'the condition is read on both sides' });
    }
    const message = `applies only when ${when.path} has that value; coverage is partial: otherwise its fields are dropped`;
    this.warn('WHEN_PARTIAL', message, { path: when.path });
  }

  /** Empty and reserved paths are refused, and at the root so are fields that the apiserver owns (D6, D11, R24). */
  private isAllowed(path: Path, what: string): boolean {
    if (path.length === 0) {
      this.error('PATH_EMPTY', `${what} is empty`, { hint: 'name a field, such as spec.size' });
      return false;
    }
    const reserved = reservedSegment(path);
    if (reserved !== undefined) {
      this.error('PATH_RESERVED', `${what} contains "${reserved}"`, {
        hint: 'such keys are data, not fields to convert',
      });
      return false;
    }
    const own = path[0] === 'metadata' && (path[1] === 'labels' || path[1] === 'annotations');
    if (this.input.depth > 0 || !isWellKnown(path) || own) return true;
    const hint = 'rules may change labels and annotations only: the apiserver restores other metadata';
    this.error('PATH_METADATA', `${what} is not the rules' to change`, { hint });
    return false;
  }

  private take(side: Side, path: Path, extent: Extent): void {
    const text = renderPath(path);
    this.claimed[side].push(text);
    const other = this.claims[side].take(path, this.rule.index, extent);
    if (other === undefined) return;
    const hint = 'each field belongs to one rule: remove one of the two';
    this.error('FIELD_CLAIMED_TWICE', `${side} field ${text} is already converted by rule ${other}`, {
      path: text,
      hint,
    });
  }

  private report(severity: Severity, code: string, message: string, extra: { path?: string; hint?: string }): void {
    const { index, strategy } = this.rule;
    this.diagnostics.push({ code, severity, rule: index, strategy, message, ...extra });
  }
}
