import type { Command } from '../command.ts';
import { COMMAND_FILES } from './table.ts';

/** Every command, loaded, in the order of help. */
export const COMMANDS: readonly Command[] = await Promise.all(Object.values(COMMAND_FILES).map((load) => load()));
