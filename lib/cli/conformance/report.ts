/** What happened to a sample on its way to a version and back. */
export type Result = 'pass' | 'loss' | 'fail' | 'error';

export type IssueType = 'acknowledged-loss' | 'unacknowledged-loss' | 'error' | 'schema-violation' | 'pruned';

export interface Issue {
  readonly field: string;
  readonly from: string;
  readonly to: string;
  readonly type: IssueType;
  readonly detail: string;
}

export interface PathReport {
  readonly from: string;
  readonly to: string;
  readonly result: Result;
  readonly timingMicros: number;
  /** Scalars in the converted object. */
  readonly fieldsConverted: number;
  /** Rules that did something, there or back. */
  readonly rulesMatched?: readonly string[];
  readonly issues?: readonly Issue[];
}

export interface SampleReport {
  readonly file: string;
  /** The version that the object says it has. */
  readonly assertedVersion: string;
  readonly paths: readonly PathReport[];
}

export interface RuleCoverage {
  readonly ruleId: string;
  /** Samples in which the rule did something. */
  readonly matchedSamples: number;
}

/** What `test -o json` prints: the report of the Go tool, and what an apiserver would prune or refuse. */
export interface TestReport {
  readonly meta: {
    readonly resourceKind: 'CRD' | 'XRD';
    readonly resource: string;
    readonly config: string;
    readonly hubVersion: string;
    readonly servedVersions: readonly string[];
    readonly generatedAt: string;
    readonly durationMs: number;
  };
  readonly summary: {
    readonly samples: number;
    readonly pathsTested: number;
    readonly pass: number;
    readonly acknowledgedLoss: number;
    readonly unacknowledgedLoss: number;
    readonly errors: number;
    /** Places that an apiserver would prune or refuse at the version converted to. */
    readonly schemaIssues: number;
  };
  readonly samples: readonly SampleReport[];
  readonly ruleCoverage: readonly RuleCoverage[];
}

/** What counts as a finding: nothing, also what only warns, or errors and losses that no rule acknowledges. */
export type FailOn = 'none' | 'warn' | 'loss';

/** Whether a report has a finding. @param strict also what only warns, as with `warn` */
export function hasFinding({ summary, ruleCoverage }: TestReport, failOn: FailOn, strict: boolean): boolean {
  if (failOn === 'none') return false;
  if (summary.errors + summary.unacknowledgedLoss > 0) return true;
  if (failOn !== 'warn' && !strict) return false;
  return summary.schemaIssues > 0 || ruleCoverage.some(({ matchedSamples }) => matchedSamples === 0);
}
