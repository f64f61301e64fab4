import type { Side } from '../../../lib/engine/strategy.ts';
import { type Finding, STEPS, type Step, type Variant } from './scenario.ts';

/** When a step fails: for all variants, or by whether the manager who owns the fields sets a label. */
export type Failing = 'always' | 'without a label' | 'with a label' | 'sometimes';

/** By `SIDE STEP`, as `spoke drop one`; steps that never fail are left out. */
export type Failures = Readonly<Record<string, Failing>>;

export interface Played {
  readonly variant: Variant;
  readonly findings: readonly Finding[];
}

/** What the variants of one row have in common. */
export function failuresOf(played: readonly Played[]): Failures {
  const failures: Record<string, Failing> = {};
  for (const owner of ['spoke', 'hub'] as const) {
    const variants = played.filter(({ variant }) => variant.owner === owner);
    for (const step of STEPS) {
      const [failed, passed] = partition(variants, step);
      if (failed.length > 0) failures[`${owner} ${step}`] = when(owner, failed, passed);
    }
  }
  return failures;
}

function partition(variants: readonly Played[], step: Step): [Variant[], Variant[]] {
  const fails = ({ findings }: Played) =>
    findings.some((finding) => finding.step === step && finding.faults.length > 0);
  const pick = (wanted: boolean) => variants.filter((one) => fails(one) === wanted).map(({ variant }) => variant);
  return [pick(true), pick(false)];
}

function when(owner: Side, failed: readonly Variant[], passed: readonly Variant[]): Failing {
  if (passed.length === 0) return 'always';
  const labelled = ({ labelled }: Variant) => labelled[owner];
  if (!failed.some(labelled) && passed.every(labelled)) return 'without a label';
  return failed.every(labelled) && !passed.some(labelled) ? 'with a label' : 'sometimes';
}

export interface Row {
  readonly title: string;
  /** Of steps, as in the failures. */
  readonly played: ReadonlySet<string>;
  readonly failures: Failures;
  /** Codes of the warnings that foretell the failures. */
  readonly codes: readonly string[];
  /** Or the rule acknowledges that it is lossy. */
  readonly lossy: boolean;
}

/** Markdown, a table for each side whose manager owns the fields. */
export function renderTables(rows: readonly Row[]): string {
  return (['spoke', 'hub'] as const).map((owner) => renderTable(owner, rows)).join('\n\n');
}

function renderTable(owner: Side, rows: readonly Row[]): string {
  const head = [`fields owned at the ${owner}`, ...STEPS, 'foretold by'];
  const ofOwner = rows.filter(({ played }) => STEPS.some((step) => played.has(`${owner} ${step}`)));
  const body = ofOwner.map(({ title, played, failures, codes, lossy }) => {
    const names = STEPS.map((step) => `${owner} ${step}`);
    const cells = names.map((name) => (played.has(name) ? mark(failures[name]) : '–'));
    const foretold = names.some((name) => failures[name])
      ? [...codes.map((code) => `\`${code}\``), ...(lossy ? ['`acknowledgeLossy`'] : [])].join(', ')
      : '';
    return [title, ...cells, foretold];
  });
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function mark(failing: Failing | undefined): string {
  if (failing === undefined) return '✓';
  return failing === 'always' ? '✗' : `✗ ${failing}`;
}
