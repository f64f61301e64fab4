import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { contextCalled, contextNames, loadContexts, saveContexts } from '../remote/contexts.ts';

export const contextsUse = defineCommand({
  name: 'contexts use',
  group: 'Roundhouse',
  summary: 'make a context the current one',
  args: { name: { summary: 'the context', required: true, complete: contextNames } },
  flags: {},
  examples: [{ what: 'From now on', command: 'contexts use prod' }],
  async run({ args: { name } }, io) {
    const file = await loadContexts(io);
    const { server } = contextCalled(name, file);
    await saveContexts({ ...file, current: name }, io);
    io.out(`${name}: ${server} is the current context\n`);
    return EXIT.ok;
  },
});
