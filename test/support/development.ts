import { type DevelopmentOptions, startDevelopment } from '../../lib/dev/development.ts';
import { createMemoryLog } from './memory-log.ts';

type Options = Omit<DevelopmentOptions, 'port' | 'out' | 'log'> & Partial<Pick<DevelopmentOptions, 'port'>>;

/**
 * Everything that `npm start` starts, on a free port, with what it printed and logged.
 *
 * @param closers gets what ends it
 */
export async function startDevelopmentForTest(options: Options, closers: (() => Promise<void>)[]) {
  let printed = '';
  const log = createMemoryLog();
  const out = (text: string) => {
    printed += text;
  };
  const development = await startDevelopment({ port: 0, ...options, out, log });
  closers.push(development.close);
  return { ...development, printed, log };
}
