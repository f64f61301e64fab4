import { StringDecoder } from 'node:string_decoder';
import { AppError } from '../errors.ts';

/** The part of a terminal's input that a question needs. */
type Keys = Pick<NodeJS.ReadStream, 'on' | 'off' | 'pause' | 'resume' | 'setRawMode'>;

const [INTERRUPT, END, BACKSPACE, DELETE, ESCAPE] = ['\u0003', '\u0004', '\b', '\u007f', '\u001b'];
const CONTROL = /^\p{Cc}$/u;

/**
 * One line from the terminal. Keys are read raw, so that a hidden answer is never on the screen, not even for a moment.
 * @throws AppError when the person breaks off (Ctrl-C, Ctrl-D)
 */
export async function ask(
  keys: Keys,
  say: (text: string) => void,
  question: string,
  { hidden = false }: { readonly hidden?: boolean } = {},
): Promise<string> {
  say(`${question} `);
  keys.setRawMode(true);
  try {
    return await new Promise<string>((resolve, reject) => {
      const decoder = new StringDecoder();
      let line: string[] = [];
      const read = (chunk: Buffer) => {
        const text = decoder.write(chunk);
        // Arrows and the like, which come as one chunk.
        if (text.startsWith(ESCAPE)) return;
        for (const key of text) {
          if (key === '\r' || key === '\n') return end(() => resolve(line.join('')));
          if (key === INTERRUPT || key === END) return end(() => reject(new AppError('BAD_REQUEST', 'broken off')));
          if (key === BACKSPACE || key === DELETE) {
            if (line.length > 0 && !hidden) say('\b \b');
            line = line.slice(0, -1);
          } else if (!CONTROL.test(key)) {
            line.push(key);
            if (!hidden) say(key);
          }
        }
      };
      const end = (settle: () => void) => {
        keys.off('data', read);
        settle();
      };
      keys.on('data', read);
      keys.resume();
    });
  } finally {
    keys.setRawMode(false);
    // Else the process would wait for more.
    keys.pause();
    say('\n');
  }
}
