export type Severity = 'error' | 'warning';

/** One finding about a config. Findings are values: analysis collects them all and never throws. */
export interface Diagnostic {
  /** Stable, upper snake case; `docs/diagnostics.md` lists them. */
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong, and where. */
  readonly message: string;
  /** What to do next. */
  readonly hint: string;
  /** The path of the field, or of the key in the rule or the resource. */
  readonly path: string;
  /** The spoke version whose rules the finding is about. */
  readonly spoke?: string;
  /** Index of the rule in the spoke's list (of the outermost rule, for one nested in a ForEach). */
  readonly rule?: number;
  /** Below `rule`: the index in each nested list of rules, outermost first. */
  readonly nested?: readonly number[];
  readonly strategy?: string;
  /** 1-based line in the config's source text, where the text is known. */
  readonly line?: number;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}
