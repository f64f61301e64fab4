import { randomBytes, randomUUID } from 'node:crypto';
import type { WorkQueue } from '../apps/ports.ts';
import { parseDurationSeconds } from '../engine/values/duration.ts';
import type { Store } from '../store/ports.ts';
import { createAccess } from './access.ts';
import { type ApiOptions, createApiHandler } from './api.ts';
import { type AwsClient, createAppsOnAws } from './apps-on-aws.ts';
import type { TokenSource } from './auth.ts';
import { createConfigServices } from './config-services.ts';
import type { FunctionUrlHandler } from './handler.ts';
import { createSystemOnAws } from './system-on-aws.ts';

/** What the environment of the `api` function says, by the names it has there. */
interface ApiConfig {
  readonly STAGE: string;
  readonly CONVERT_URL: string;
  readonly ARTIFACT_BUCKET: string;
  readonly ACCOUNT_ID: string;
  readonly AWS_REGION: string;
  readonly APP_API_RATE_LIMIT_READ_RPM: number;
  readonly APP_API_RATE_LIMIT_WRITE_RPM: number;
  /** Instances that apps may reserve together. */
  readonly APP_MAX_RESERVED_CONCURRENCY: number;
  /** As Go writes durations. */
  readonly APP_CERT_EXPIRY_WARNING_WINDOW: string;
  readonly APP_PUBLIC_HOST?: string | undefined;
  /** Whether somebody gets a mail when an alarm rings. */
  readonly ALERTS_CONFIGURED: boolean;
}

interface ApiFunctionOptions
  extends Pick<ApiOptions, 'brand' | 'caBundle' | 'clock' | 'log' | 'telemetry' | 'version'>,
    Partial<ReturnType<typeof createConfigServices>> {
  readonly config: ApiConfig;
  readonly store: Store;
  /** The tokens that are known beside those in the store. */
  readonly knownTokens: TokenSource;
  readonly queue: WorkQueue;
  readonly client: AwsClient;
  /** For Lambda; `client` when absent. */
  readonly lambdaClient?: AwsClient;
  /** One review through the URL of `convert`: what is wrong with the answer, or undefined. */
  readonly probeConvert: () => Promise<string | undefined>;
  readonly fetch: typeof globalThis.fetch;
}

/** The `api` function, put together; in development with the emulators in the place of AWS. */
export function createApiFunction({ config, knownTokens, ...options }: ApiFunctionOptions): FunctionUrlHandler {
  const { store, clock, log } = options;
  const deps = { store, clock, log, ids: randomUUID, random: (bytes: number) => randomBytes(bytes) };
  const { runtime, ...apps } = createAppsOnAws({
    ...options,
    ...deps,
    stage: config.STAGE,
    account: { id: config.ACCOUNT_ID, region: config.AWS_REGION },
    bucket: config.ARTIFACT_BUCKET,
    maxConcurrency: config.APP_MAX_RESERVED_CONCURRENCY,
  });
  const rpm = { read: config.APP_API_RATE_LIMIT_READ_RPM, write: config.APP_API_RATE_LIMIT_WRITE_RPM };
  const access = createAccess({ ...deps, knownTokens, rpm });
  return createApiHandler({
    ...createConfigServices(deps),
    ...apps,
    ...access,
    ...createSystemOnAws({
      ...options,
      ...deps,
      ...apps,
      ...access,
      runtime,
      convertUrl: config.CONVERT_URL,
      publicHost: config.APP_PUBLIC_HOST,
      certificateWarningMs: 1_000 * parseDurationSeconds(config.APP_CERT_EXPIRY_WARNING_WINDOW),
      configured: {
        secrets_configured: true,
        telemetry_configured: true,
        alerts_configured: config.ALERTS_CONFIGURED,
      },
    }),
    convertUrl: config.CONVERT_URL,
    newId: randomUUID,
    ...options,
  });
}
