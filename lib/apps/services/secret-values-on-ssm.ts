import {
  DeleteParametersCommand,
  GetParametersByPathCommand,
  type GetParametersByPathCommandOutput,
  PutParameterCommand,
  SSMClient,
  type SSMClientConfig,
} from '@aws-sdk/client-ssm';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import { AppError } from '../../errors.ts';
import type { SecretValues } from '../ports.ts';
import { callAws } from '../runtime/aws-error.ts';
import { parameterPath } from '../runtime/names.ts';
import { RuntimeError } from '../runtime/runtime.ts';

export interface SecretOptions {
  readonly stage: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<SSMClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/** Of a standard parameter; an advanced one takes 8 KB and costs 0.05 USD a month. */
const MAX_BYTES = 4_096;
/** Both calls take and give so many at most. */
const BATCH = 10;

/**
 * Secrets as SecureString parameters, encrypted with the account's key for Systems Manager.
 *
 * `put` rejects with `AppError` BAD_REQUEST for a value that no parameter can hold. Every other failure is a `RuntimeError`
 * without a word of AWS: a refusal of Systems Manager quotes what it refuses.
 */
export function createSsmSecretValues({ stage, client: settings, attemptMs }: SecretOptions): SecretValues {
  const client = new SSMClient({
    ...settings,
    maxAttempts: 3,
    requestHandler: requestTimeouts(attemptMs),
    cacheMiddleware: true,
  });
  const pathOf = (app: string) => parameterPath(stage, app);
  const remove = async (names: readonly string[]) => {
    for (let start = 0; start < names.length; start += BATCH) {
      // Names that are not there are listed in the answer and are no error.
      const command = new DeleteParametersCommand({ Names: names.slice(start, start + BATCH) });
      await callSsm('ssm:DeleteParameters', () => client.send(command));
    }
  };
  return {
    pathOf,
    async put(app, key, value) {
      checkValue(key, value);
      const Name = `${pathOf(app)}/${key}`;
      const standard = { Type: 'SecureString', Tier: 'Standard', Overwrite: true } as const;
      await callSsm('ssm:PutParameter', () =>
        client.send(new PutParameterCommand({ Name, Value: value, ...standard })),
      );
    },
    remove: (app, key) => remove([`${pathOf(app)}/${key}`]),
    async removeAll(app) {
      const names: string[] = [];
      let NextToken: string | undefined;
      do {
        const list = { Path: pathOf(app), Recursive: true, WithDecryption: false, MaxResults: BATCH, NextToken };
        const page: GetParametersByPathCommandOutput = await callSsm('ssm:GetParametersByPath', () =>
          client.send(new GetParametersByPathCommand(list)),
        );
        names.push(...(page.Parameters ?? []).flatMap(({ Name }) => Name ?? []));
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
      await remove(names);
    },
  };
}

/** What Systems Manager would refuse, told without the value. */
function checkValue(key: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes === 0) throw refuse(key, 'it is empty');
  if (bytes > MAX_BYTES) {
    throw refuse(
      key,
      `it has ${bytes} bytes, and a parameter of Systems Manager holds ${MAX_BYTES}; put what is larger into the package or into S3`,
    );
  }
  if (value.includes('\0') || !value.isWellFormed()) {
    throw refuse(
      key,
      'it has a NUL or half a character in it, which no variable can hold; encode it, for example as base64',
    );
  }
  if (value.includes('{{') && value.includes('}}')) {
    throw refuse(
      key,
      'it has {{ and }} in it, which Systems Manager takes for a reference; encode it, for example as base64',
    );
  }
}

function refuse(key: string, reason: string): AppError {
  return new AppError('BAD_REQUEST', `The value of the secret ${key} cannot be stored: ${reason}.`, {
    errors: [{ pointer: '/value', detail: reason }],
  });
}

async function callSsm<T>(action: string, send: () => Promise<T>): Promise<T> {
  try {
    return await callAws({ service: 'Systems Manager' }, () => send().catch(throttledIfBusy));
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    throw new RuntimeError(error.code, `Systems Manager did not carry out ${action} (${error.code}).`);
  }
}

/** Another change of the same parameter runs: to wait is the answer to that too. */
function throttledIfBusy(error: unknown): never {
  if ((error as { name?: string }).name !== 'TooManyUpdates') throw error;
  throw Object.assign(error as Error, { name: 'ThrottlingException' });
}
