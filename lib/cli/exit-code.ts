/** What a command ends with (R65). `docs/convctl.md` and `docs/roundhouse.md` have the table. */
export const EXIT = Object.freeze({
  /** Done, and nothing was found. */
  ok: 0,
  /** Done, and something was found: errors of a config, a loss, a difference, an object that failed. */
  finding: 1,
  /** Not done: wrong usage, a file or a cluster that cannot be read. */
  failure: 2,
});

/** What `roundhouse doctor` ends with instead (R55). `docs/roundhouse.md` has the table. */
export const DOCTOR_EXIT = Object.freeze({
  ok: 0,
  /** Warnings, where `--strict` asks for them. */
  warnings: 1,
  failures: 2,
  /** It could not look. */
  unable: 3,
});

export type ExitCode = (typeof EXIT)[keyof typeof EXIT] | (typeof DOCTOR_EXIT)[keyof typeof DOCTOR_EXIT];
