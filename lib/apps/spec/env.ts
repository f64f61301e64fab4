import type { ReleaseSettings } from '../model.ts';

/** Of Lambda: at most 4 KB for all variables of a function, which it measures as JSON in UTF-8. */
export const MAX_ENV_BYTES = 4096;

/** What Lambda takes as the name of a variable. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_]+$/;
const MAX_NAME = 255;

/** Ours and Lambda's. Every name that begins with `_` is refused by {@link NAME}, `_HANDLER` with them. */
const RESERVED = /^(?:AWS_|LAMBDA_|ROUNDHOUSE_)|^PORT$/;

/** Shell wrapper that turns the secrets of a zip package on Node.js into variables, from a layer of the stack. */
export const SECRETS_WRAPPER = '/opt/roundhouse-secrets';

/** Why a name cannot be that of a variable or a secret; undefined when it can. Continues a sentence. */
export function envNameFault(name: string): string | undefined {
  if (name.length > MAX_NAME) return `is too long: ${name.length} characters, at most ${MAX_NAME}`;
  if (!NAME.test(name)) return 'must be two or more letters, digits and underscores, and begin with a letter';
  if (RESERVED.test(name))
    return 'is reserved: PORT and what begins with AWS_, LAMBDA_ or ROUNDHOUSE_ is set for the app';
  return undefined;
}

/** Why a value cannot be that of a variable; undefined when it can. Never shows it. */
export function envValueFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  return value.includes('\0') ? 'has a NUL character, which no variable can hold' : undefined;
}

/** Why variables are too large for the function of an app, ours counted; undefined when they are not. */
export function envSizeFault(
  app: string,
  { env, port }: Pick<ReleaseSettings, 'env' | 'port'>,
  secretsPath: string,
): string | undefined {
  const ours = {
    PORT: String(port),
    ROUNDHOUSE_APP: app,
    ROUNDHOUSE_DEPLOY: 'dep_000000000000',
    ROUNDHOUSE_SECRETS_PATH: secretsPath,
    // Only zip packages have it; counted for all, so that the limit does not depend on code that may come later.
    AWS_LAMBDA_EXEC_WRAPPER: SECRETS_WRAPPER,
  };
  const taken = envBytes(ours);
  const given = envBytes({ ...ours, ...env }) - taken;
  if (given + taken <= MAX_ENV_BYTES) return undefined;
  const room = `${MAX_ENV_BYTES - taken} (Lambda's ${MAX_ENV_BYTES} less ${taken} that are set for the app)`;
  return `has ${given} bytes of names and values (as JSON), and there is room for ${room}. Move some into secrets or into a file`;
}

/** As Lambda measures them. */
export function envBytes(env: Readonly<Record<string, string>>): number {
  return Buffer.byteLength(JSON.stringify(env));
}
