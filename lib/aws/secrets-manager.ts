import {
  GetSecretValueCommand,
  SecretsManagerClient,
  type SecretsManagerClientConfig,
} from '@aws-sdk/client-secrets-manager';
import { requestTimeouts } from './request-timeouts.ts';

interface SecretOptions {
  readonly arn: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<SecretsManagerClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/**
 * Reads the text of the current version of a secret; undefined when it holds bytes. A read ends after two attempts, and
 * with a limit in milliseconds after that at the latest.
 */
export function createSecretReader({ arn, client: settings, attemptMs }: SecretOptions) {
  const client = new SecretsManagerClient({ ...settings, maxAttempts: 2, requestHandler: requestTimeouts(attemptMs) });
  return async (limitMs?: number): Promise<string | undefined> => {
    const options = limitMs === undefined ? {} : { abortSignal: AbortSignal.timeout(limitMs) };
    return (await client.send(new GetSecretValueCommand({ SecretId: arn }), options)).SecretString;
  };
}
