/** Characters of a reason, which may quote the text. */
const MAX_REASON = 200;

/** YAML that cannot be read. The message starts with the line where one is known. */
export class YamlError extends Error {
  /** 1-based. */
  readonly line: number | undefined;
  /** What to do next. */
  readonly hint: string | undefined;

  constructor(reason: string, line?: number, hint?: string) {
    const shown = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON).toWellFormed()}…` : reason;
    super(line === undefined ? shown : `line ${line}: ${shown}`);
    this.name = 'YamlError';
    this.line = line;
    this.hint = hint;
  }
}
