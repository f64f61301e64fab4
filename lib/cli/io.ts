/** A terminal behind a stream. */
export interface Terminal {
  /** Characters in a line. */
  readonly columns: number;
}

/** What a command may touch of the world around it; tests pass their own. */
export interface Io {
  /** Data, and nothing else: what a pipe gets. */
  readonly out: (text: string) => void;
  /** What is said to a person: progress, notes, errors. */
  readonly err: (text: string) => void;
  /** The terminals behind the two; undefined for a pipe or a file. */
  readonly terminal: { readonly out?: Terminal; readonly err?: Terminal };
  /** Whether colours are wanted on the data stream (`NO_COLOR`, `FORCE_COLOR`, a terminal). */
  readonly colour: boolean;
  /**
   * Asks the person at the terminal for one line; a hidden one is not shown as it is typed. Undefined when nobody is
   * there to be asked: standard input is no terminal. Rejects with an AppError when the person breaks off.
   */
  readonly ask?: (question: string, how?: { readonly hidden?: boolean }) => Promise<string>;
  /** The whole of standard input. Rejects with an AppError when it is no UTF-8. */
  readonly readStdin: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin. */
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after that many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
}
