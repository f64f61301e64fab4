import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { FACTS_FLAG } from '../common.ts';
import { flatten, printFacts } from '../facts.ts';

export const status = defineCommand({
  name: 'status',
  group: 'System',
  summary: 'show what the Roundhouse is connected to, and how full the account is',
  description: 'It ends with 1 when something is not connected. doctor looks deeper, and takes longer.',
  flags: { output: FACTS_FLAG, ...ACCESS_FLAGS },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'For a script', command: 'status -o json' }],
  async run({ flags }, io) {
    const apps = await openApps(flags, io);
    const found = await apps.status();
    await printFacts(io, flags.output, found, flatten(found));
    const isCut = Object.entries(found).some(([key, value]) => key.endsWith('_connected') && value === false);
    return isCut ? EXIT.finding : EXIT.ok;
  },
});
