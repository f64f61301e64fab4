import type { WorkQueue } from '../apps/ports.ts';
import { createImages } from '../apps/runtime/images.ts';
import { createLambdaReads, type LambdaReads } from '../apps/runtime/lambda-reads.ts';
import { createAppService } from '../apps/service.ts';
import { createAppLogs } from '../apps/services/app-logs.ts';
import { createAppMetrics } from '../apps/services/app-metrics.ts';
import { createArtifacts } from '../apps/services/artifacts.ts';
import { createSecretValues } from '../apps/services/secret-values.ts';
import type { Account } from '../apps/spec/image.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/ports.ts';
import type { ApiServices } from './route-table.ts';

/** What is absent is the SDK's to find; in development it says where an emulator is. */
export type AwsClient = Parameters<typeof createSecretValues>[0]['client'];

interface AppsOptions {
  readonly stage: string;
  readonly account: Account;
  readonly queue: WorkQueue;
  /** Of uploaded packages. */
  readonly bucket: string;
  /** How many instances apps may reserve together. */
  readonly maxConcurrency: number;
  readonly client: AwsClient;
  /** For Lambda; `client` when absent. */
  readonly lambdaClient?: AwsClient;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly random: (bytes: number) => Uint8Array;
}

/** The service of apps on the clients of AWS, and what of those the system routes want too. */
export function createAppsOnAws(
  options: AppsOptions,
): Pick<ApiServices, 'apps' | 'appContext'> & { readonly runtime: LambdaReads } {
  const { account, bucket, maxConcurrency, client, lambdaClient = client } = options;
  const runtime = createLambdaReads({ ...options, client: lambdaClient, artifactBucket: bucket });
  const secretValues = createSecretValues(options);
  const apps = createAppService({
    ...options,
    artifacts: createArtifacts(options),
    images: createImages({ ...options, account: account.id, region: account.region }),
    secretValues,
    logs: createAppLogs(options),
    metrics: createAppMetrics(options),
    runtime,
  });
  return { apps, runtime, appContext: { account, secretsPath: secretValues.pathOf, maxConcurrency } };
}
