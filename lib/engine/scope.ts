import type { ListAnalysis, ListInput } from './analyse-list.ts';
import type { Claims, Extent } from './claims.ts';
import { innerDifferences, innerFinding, isWellKnown } from './coverage.ts';
import type { Diagnostic, Severity } from './diagnostic.ts';
import type { Json, JsonObject } from './json.ts';
import { compareOwnership } from './ownership.ts';
import { type Path, parsePath, renderPath, reservedSegment } from './path.ts';
import type { Rule } from './rule.ts';
import { lookup, shapeOf } from './schema.ts';
import {
  type Field,
  type FindingDetails,
  LOSSY,
  type Lossless,
  type Place,
  type RuleScope,
  type Side,
} from './strategy.ts';

/** How the rules inside a rule are judged: on their item schemas, or by their form alone. */
export interface NestedAnalysis {
  analyse(items: { hub: Field; spoke: Field }, rules: readonly Json[]): ListAnalysis | undefined;
  checkForm(rules: readonly Json[]): void;
}

/** The view of one rule on the list that is being analysed: see {@link RuleScope}. */
export class Scope implements RuleScope {
  readonly claimed: Record<Side, string[]> = { hub: [], spoke: [] };
  nestedList: ListAnalysis | undefined;
  private readonly rule: Rule;
  private readonly input: ListInput;
  private readonly claims: Record<Side, Claims>;
  private readonly diagnostics: Diagnostic[];
  private readonly inner: NestedAnalysis;

  constructor(
    rule: Rule,
    input: ListInput,
    claims: Record<Side, Claims>,
    diagnostics: Diagnostic[],
    inner: NestedAnalysis,
  ) {
    this.rule = rule;
    this.input = input;
    this.claims = claims;
    this.diagnostics = diagnostics;
    this.inner = inner;
  }

  get depth(): number {
    return this.input.depth;
  }

  schema(side: Side): JsonObject {
    return this.input[side];
  }

  field(side: Side, text: string): Field | undefined {
    const path = parsePath(text);
    if (!this.isAllowed(side, path)) return undefined;
    const found = lookup(this.input[side], path);
    if ('reason' in found) {
      const hint = `check the spelling against the ${side} version's schema`;
      this.error('PATH_UNRESOLVED', `${side} path ${text} does not exist: ${found.reason}`, { path: text, side, hint });
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
    if (this.isAllowed(side, path)) this.take(side, path, 'pointer');
  }

  claimInside(side: Side, path: Path): void {
    if (this.isAllowed(side, path)) this.take(side, path, 'inside');
  }

  claimMetadata(path: Path): void {
    const text = renderPath(path);
    const [hub, spoke] = (['hub', 'spoke'] as const).map((side) =>
      this.claims[side].take(path, this.rule.index, 'inside'),
    );
    const other = hub ?? spoke;
    if (other === undefined) return;
    const hint = 'give each rule a key of its own: one value would overwrite the other';
    this.error('FIELD_CLAIMED_TWICE', `${text} is already used by rule ${other}`, { path: text, hint });
  }

  error(code: string, message: string, more: FindingDetails): void {
    this.report('error', code, message, more);
  }

  warn(code: string, message: string, more: FindingDetails): void {
    this.report('warning', code, message, more);
  }

  nested(items: { hub: Field; spoke: Field }, rules: readonly Json[]): Lossless {
    this.nestedList = this.inner.analyse(items, rules);
    return this.nestedList?.lossless ?? LOSSY;
  }

  compareInner(hub: Place, spoke: Place): void {
    for (const { side, path, what } of innerDifferences(hub, spoke)) {
      const { code, message, hint } = innerFinding(`${this.input.prefix[side]}${path}`, what);
      this.warn(code, message, { path, side, hint });
    }
  }

  compareOwnership(hub: Place | undefined, spoke: Place | undefined, inside = true): void {
    if (hub === undefined || spoke === undefined || !this.input.ownedInParts) return;
    for (const found of compareOwnership(hub, spoke, inside)) this.warn(found.code, found.message, found);
  }

  nestedForm(rules: readonly Json[]): void {
    this.inner.checkForm(rules);
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
      const hint = 'name a field that both sides have: the condition is read on both';
      this.error('WHEN_UNRESOLVED', message, { path: when.path, side, hint });
    }
    const message = `applies only when ${when.path} has that value; coverage is partial: otherwise its fields are dropped`;
    const hint = 'convert the field also where the condition does not hold, or accept that it is dropped';
    this.warn('WHEN_PARTIAL', message, { path: when.path, hint });
  }

  /** Empty and reserved paths are refused, and at the root so are fields that the apiserver owns (D6, D11, R24). */
  private isAllowed(side: Side, path: Path): boolean {
    const text = renderPath(path);
    const refuse = (code: string, why: string, hint: string): false => {
      this.error(code, `${side} path "${text}" ${why}`, { path: text, side, hint });
      return false;
    };
    if (path.length === 0) return refuse('PATH_EMPTY', 'is empty', 'name a field, such as spec.size');
    const reserved = reservedSegment(path);
    if (reserved !== undefined) {
      return refuse('PATH_RESERVED', `contains "${reserved}"`, 'such keys are data: convert the map that holds them');
    }
    const own = path[0] === 'metadata' && (path[1] === 'labels' || path[1] === 'annotations');
    if (this.input.depth > 0 || !isWellKnown(path) || own) return true;
    const hint = 'change labels and annotations only: the apiserver restores other metadata';
    return refuse('PATH_METADATA', "is not the rules' to change", hint);
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

  private report(severity: Severity, code: string, message: string, { hint, ...where }: FindingDetails): void {
    const { index, strategy } = this.rule;
    this.diagnostics.push({ code, severity, rule: index, strategy, message, path: this.place(where), hint });
  }

  /** A parameter by its place in the rule, a field by its whole path. */
  private place({ param, path, side = 'hub' }: Omit<FindingDetails, 'hint'>): string {
    if (param !== undefined) return `${this.rule.block}.${param}`;
    if (path !== undefined) return `${this.input.prefix[side]}${path}`;
    const [hub, spoke] = [this.claimed.hub[0], this.claimed.spoke[0]];
    if (hub !== undefined) return `${this.input.prefix.hub}${hub}`;
    return spoke === undefined ? this.rule.block : `${this.input.prefix.spoke}${spoke}`;
  }
}
