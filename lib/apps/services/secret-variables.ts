import {
  GetParametersByPathCommand,
  type GetParametersByPathCommandOutput,
  type Parameter,
  SSMClient,
  type SSMClientConfig,
} from '@aws-sdk/client-ssm';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import { callAws } from '../runtime/aws-error.ts';

interface ReadOptions {
  /** Where the parameters are; those below further levels are not the app's. */
  readonly path: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<SSMClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/** Three attempts end before the 10 s that Lambda gives an instance to start in. */
const ATTEMPT_MS = 2_500;

/**
 * The secrets of an app, by the last part of their parameters' names. Runs in the app's own instance and with its role, once
 * for each; one call for every ten secrets, and for none. Rejects with `RuntimeError`, without values.
 */
export async function readSecrets({ path, client: settings, attemptMs = ATTEMPT_MS }: ReadOptions) {
  const client = new SSMClient({ ...settings, maxAttempts: 3, requestHandler: requestTimeouts(attemptMs) });
  const secrets = new Map<string, string>();
  let NextToken: string | undefined;
  do {
    const command = new GetParametersByPathCommand({ Path: path, WithDecryption: true, NextToken });
    const page: GetParametersByPathCommandOutput = await callAws({ service: 'Systems Manager' }, () =>
      client.send(command),
    );
    for (const { Name = '', Value = '' } of (page.Parameters ?? []) as Parameter[]) {
      secrets.set(Name.slice(Name.lastIndexOf('/') + 1), Value);
    }
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  client.destroy();
  return secrets;
}

/**
 * Words for a POSIX shell, each `'NAME=value'`, to go between `env` and a command. In single quotes a shell changes nothing,
 * and `env`, other than the shell itself, has no variables with a meaning of their own (`UID`, `RANDOM`, `IFS`).
 * @param secrets their names must be names of variables, and their values hold no NUL
 */
export function renderEnvWords(secrets: ReadonlyMap<string, string>): string {
  return [...secrets].map(([name, value]) => `'${`${name}=${value}`.replaceAll("'", `'\\''`)}'`).join(' ');
}

/** What can be a variable: `env` takes `-x=1` for an option, and no program can read a name with other characters well. */
export function isVariable(name: string, value: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !value.includes('\0');
}
