import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printJson } from '../../output/json.ts';
import { printable } from '../../output/printable.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openTokenFile, TOKEN_OUT_FLAG } from '../../remote/token-file.ts';
import { openApps } from '../access.ts';
import { parseCount, RESULT_FLAG } from '../common.ts';

export const tokensCreate = defineCommand({
  name: 'tokens create',
  group: 'Access',
  summary: 'make a token; it can do no more than the one it is made with',
  description:
    'Its text is printed on standard output, this once, or written to --token-out. No ability includes another one, ' +
    'but root, which is all of them: who deploys and looks on needs deploy and read.',
  args: { name: { summary: 'what it is for', required: true } },
  flags: {
    ability: {
      value: 'ABILITY',
      repeat: true,
      required: true,
      summary: 'read, read:sensitive, write, write:sensitive, deploy or root',
    },
    days: { value: 'N', summary: 'how long it is good; without it, until it is revoked' },
    tokenOut: TOKEN_OUT_FLAG,
    output: RESULT_FLAG,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [
    { what: 'For a pipeline that deploys', command: 'tokens create ci --ability deploy --ability read --days 90' },
  ],
  async run({ flags, args: { name } }, io) {
    const days = flags.days === undefined ? {} : { expires_in_days: parseCount(flags.days, '--days', 3650) };
    const apps = await openApps(flags, io);
    // Opened before the token is made: it is shown only once.
    const file = flags.tokenOut === undefined ? undefined : await openTokenFile(flags.tokenOut, io);
    try {
      const made = await apps.createToken({ name, abilities: [...flags.ability], ...days });
      const { token, ...rest } = made;
      await file?.write(token);
      if (flags.output === 'json') printJson(io, file ? rest : made);
      else if (!file) io.out(`${printable(token)}\n`);
      const where = file === undefined ? 'is shown only now' : `is in ${file.path}, and is not shown again`;
      io.err(`${printable(`${made.id}: made. The token ${where}. Keep it as a secret`)}\n`);
      return EXIT.ok;
    } finally {
      await file?.close();
    }
  },
});
