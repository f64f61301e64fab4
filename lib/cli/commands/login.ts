import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { logIn } from '../remote/login.ts';

export const login = defineCommand({
  name: 'login',
  group: 'Roundhouse',
  summary: 'keep an address and a token as a context, and make it the current one',
  description:
    'The server is asked whether it knows the token. Both are kept in roundhouse/contexts.json in your XDG config folder ' +
    '(~/.config), which only you can read. Give --context alone with a token to renew a context.',
  flags: {
    ...ACCESS_FLAGS,
    context: { value: 'NAME', summary: 'how to call it; else the name of the host' },
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [
    { what: 'With the token from a secret store', command: 'login --server https://api.example.org --token - < token' },
    {
      what: 'To `npm start -- --tls`',
      command: 'login --server https://127.0.0.1:8787 --ca-file ca.crt --token-file token',
    },
  ],
  async run({ flags }, io) {
    const { name, server, file } = await logIn(flags, io);
    io.out(`${name}: ${server} is the current context, kept in ${file}\n`);
    return EXIT.ok;
  },
});
