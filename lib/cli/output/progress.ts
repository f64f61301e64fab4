import type { Io } from '../io.ts';
import { printable } from './printable.ts';

/** One line on the terminal of a person who waits. */
export interface Progress {
  /** Replaces the line; most calls cost nothing. */
  readonly show: (text: string) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

/** Work that is done sooner says nothing. */
const PATIENCE_MS = 1000;
const EVERY_MS = 100;

/** Shows nothing when stderr is no terminal, or the person wants quiet. */
export function startProgress({ terminal, err, now }: Io, quiet = false): Progress {
  const { err: screen } = terminal;
  if (screen === undefined || quiet) return { show: () => {}, end: () => {} };
  const start = now();
  let last = start + PATIENCE_MS - EVERY_MS;
  let shown = false;
  return {
    show(text) {
      if (now() - last < EVERY_MS) return;
      last = now();
      shown = true;
      err(`\r\u001b[K${printable(text).slice(0, screen.columns - 1)}`);
    },
    end() {
      if (shown) err('\r\u001b[K');
      shown = false;
    },
  };
}
