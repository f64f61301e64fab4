import { ROUNDHOUSE } from '../../../lib/cli/apps/commands/table.ts';
import type { Command } from '../../../lib/cli/command.ts';
import { CONVCTL } from '../../../lib/cli/commands/table.ts';
import { loadAll, type Program } from '../../../lib/cli/programs.ts';

export const PROGRAMS: Readonly<Record<Program['name'], Program>> = { convctl: CONVCTL, roundhouse: ROUNDHOUSE };

/** Every command of each program, loaded, in the order of help. */
export const COMMANDS: Readonly<Record<Program['name'], readonly Command[]>> = {
  convctl: await loadAll(CONVCTL),
  roundhouse: await loadAll(ROUNDHOUSE),
};
