import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printable } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';

export const tokensRevoke = defineCommand({
  name: 'tokens revoke',
  group: 'Access',
  summary: 'end a token for good',
  description: 'Twice is as once.',
  args: { id: { summary: 'the id that tokens list shows', required: true } },
  flags: ACCESS_FLAGS,
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'One that may have leaked', command: 'tokens revoke tok_3q2-7wAAq83v' }],
  async run({ flags, args: { id } }, io) {
    const apps = await openApps(flags, io);
    await apps.revokeToken(id);
    io.out(`${printable(`${id}: revoked`)}\n`);
    return EXIT.ok;
  },
});
