/** What a command ends with (R65). `docs/convctl.md` has the table. */
export const EXIT = Object.freeze({
  /** Done, and nothing was found. */
  ok: 0,
  /** Done, and something was found: errors of a config, a loss, a difference, an object that failed. */
  finding: 1,
  /** Not done: wrong usage, a file or a cluster that cannot be read. */
  failure: 2,
});

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
