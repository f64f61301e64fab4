import { styleText } from 'node:util';
import type { Io } from '../io.ts';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours a text for the data stream, where that is wanted. */
export function paint({ colour }: Io, style: Style, text: string): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}
