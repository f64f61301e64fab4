import { defineCommand } from '../../command.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, LIMIT_FLAG, RESULT_FLAG } from '../common.ts';
import { suspend } from '../suspend.ts';

export const appsStop = defineCommand({
  name: 'apps stop',
  group: 'Apps',
  summary: 'stop an app: its URL answers 429, and everything else stays',
  description: 'It ends when that can be seen. Twice is as once.',
  args: { name: APP_ARGUMENT },
  flags: {
    noWait: { summary: 'end once it is asked for' },
    waitTimeout: LIMIT_FLAG,
    output: RESULT_FLAG,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF, { flags: ['noWait', 'waitTimeout'] }],
  examples: [{ what: 'It costs nothing until it is started', command: 'apps stop json-api' }],
  async run({ flags, args: { name } }, io) {
    return await suspend(await openApps(flags, io), name, 'stop', flags, io);
  },
});
