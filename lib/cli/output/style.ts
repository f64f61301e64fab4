import { styleText } from 'node:util';
import type { Io } from '../io.ts';
import { printable } from './printable.ts';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours a text of one line for the data stream, where that is wanted. */
export function paint({ colour }: Io, style: Style, text: string): string {
  const shown = printable(text);
  return colour ? styleText(style, shown, { validateStream: false }) : shown;
}
