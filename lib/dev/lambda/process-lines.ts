import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export interface Lines {
  /** Resolves when the stream said that all lines of a call are there, or ended. */
  readonly ended: (requestId: string) => Promise<void>;
}

/** A line of an app that never ends it is cut there. */
const MAX_LINE = 262_144;

/**
 * Splits what a process writes into lines. The runtime marks in the stream where the lines of a call end: its answer
 * takes another way, and may overtake them.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): Lines {
  const decoder = new StringDecoder('utf8');
  const waiting = new Map<string, () => void>();
  const seen = new Set<string>();
  let isOver = false;
  let rest = '';
  const take = (line: string) => {
    const [text = '', mark] = line.split('\0end ');
    if (text !== '' || mark === undefined) onLine(text.replace(/\r$/, '').replaceAll('\r', '\n'));
    if (mark === undefined) return;
    seen.add(mark);
    waiting.get(mark)?.();
  };
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
    if (rest.length > MAX_LINE) {
      take(rest);
      rest = '';
    }
  });
  stream.on('close', () => {
    if (rest !== '') take(rest);
    rest = '';
    isOver = true;
    for (const resolve of waiting.values()) resolve();
  });
  return {
    ended: async (requestId) => {
      if (!seen.has(requestId) && !isOver) await new Promise<void>((resolve) => waiting.set(requestId, resolve));
      waiting.delete(requestId);
      seen.delete(requestId);
    },
  };
}
