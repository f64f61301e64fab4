import { isVariable, readSecrets, renderEnvWords } from '../../lib/apps/services/secret-variables.ts';

/** `roundhouse-secrets` runs this once before an app starts. Standard output is read by a shell: nothing else goes there. */
const [, , path = ''] = process.argv;
const tell = (text: string) => process.stderr.write(`roundhouse-secrets: ${text}\n`);

try {
  if (!path.startsWith('/')) throw new Error('ROUNDHOUSE_SECRETS_PATH is not the path of parameters');
  const secrets = await readSecrets({ path, client: {} });
  for (const [name, value] of secrets) {
    if (isVariable(name, value)) continue;
    tell(`the parameter ${path}/${name} cannot be a variable, and is left out`);
    secrets.delete(name);
  }
  process.stdout.write(renderEnvWords(secrets));
} catch (error) {
  const reason = error instanceof Error ? error.message : 'unknown reason';
  tell(`the secrets below ${path} cannot be read, and the app does not start without them: ${reason}`);
  process.exitCode = 1;
}
