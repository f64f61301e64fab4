import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { contextNames, loadContexts, saveContexts, withoutContext } from '../remote/contexts.ts';

export const contextsDelete = defineCommand({
  name: 'contexts delete',
  group: 'Roundhouse',
  summary: 'forget a context and its token',
  description: 'The token itself stays valid: the server is not asked.',
  args: { name: { summary: 'the context', required: true, complete: contextNames } },
  flags: {},
  examples: [{ what: 'Log out', command: 'contexts delete prod' }],
  async run({ args: { name } }, io) {
    const left = withoutContext(await loadContexts(io), name);
    await saveContexts(left, io);
    const hint = left.current === undefined ? '; no context is current' : '';
    io.out(`${name}: forgotten${hint}\n`);
    return EXIT.ok;
  },
});
