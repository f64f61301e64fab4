import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildSecretsLayer } from '../../infra/bundle-layer.ts';
import { createReconcileHandler } from '../apps/reconcile/handler.ts';
import { createLambdaRuntime } from '../apps/runtime/lambda.ts';
import { createLogGroups } from '../apps/runtime/log-groups.ts';
import { createArtifacts } from '../apps/services/artifacts.ts';
import { createProbe } from '../apps/services/probe.ts';
import { createSecretValues } from '../apps/services/secret-values.ts';
import { createWorker } from '../apps/work/worker.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/ports.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import { type AwsEmulator, startAwsEmulator } from './aws/emulator.ts';
import { createDevelopmentImages } from './aws/images.ts';
import { createDevelopmentRoles } from './aws/roles.ts';
import { type LambdaEmulator, startLambdaEmulator } from './lambda/emulator.ts';
import { createInvocationStore, createLogStore } from './lambda/stores.ts';
import { createDevelopmentQueue, type DevelopmentQueue } from './work-queue.ts';

interface AppsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Folder that keeps packages, secrets and functions; gone at the end when absent. */
  readonly dataDir?: string;
}

/** What the stack of `infra/` would have made, as the functions get to know it. */
export interface DevelopmentApps {
  readonly place: {
    readonly STAGE: string;
    readonly ARTIFACT_BUCKET: string;
    readonly ACCOUNT_ID: string;
    readonly AWS_REGION: string;
  };
  readonly client: AwsEmulator['client'];
  readonly lambdaClient: AwsEmulator['client'];
  readonly lambda: LambdaEmulator;
  readonly queue: DevelopmentQueue;
  /** One pass of reconcile now. */
  readonly reconcile: (pass: 'fast' | 'drift') => Promise<void>;
  readonly close: () => Promise<void>;
}

const STAGE = 'dev';
const BUCKET = 'roundhouse-artifacts';
const ACCOUNT_ID = '000000000000';
const REGION = 'us-east-1';
const LAYER_ARN = `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:layer:roundhouse-secrets:1`;
const LOG_RETENTION_DAYS = 30;
/** What a worker function has on AWS. */
const WORKER_MS = 60_000;
const FAST_PASS_MS = 60_000;
const DRIFT_PASS_MS = 15 * 60_000;

/** The worker, the reconcile passes and the emulators of AWS, in this process. */
export async function startApps(options: AppsOptions): Promise<DevelopmentApps> {
  const { dataDir, log, clock } = options;
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    const layers = await mkdtemp(join(tmpdir(), 'roundhouse-layers-'));
    closers.push(() => rm(layers, { recursive: true, force: true }));
    const layer = await buildSecretsLayer(layers);
    const worker = Promise.withResolvers<ReturnType<typeof createWorker>>();
    const queue = createQueue(options, worker.promise);
    const stores = { logs: createLogStore(), invocations: createInvocationStore() };
    const onFault = (fault: unknown) => log.error('emulator failed', describeError(fault));
    const place = { clock, account: ACCOUNT_ID, region: REGION, onFault, ...stores };
    const dir = (name: string) => (dataDir === undefined ? {} : { dir: join(dataDir, name) });
    const aws = await startAwsEmulator({ ...place, ...dir('aws'), buckets: [BUCKET] });
    closers.push(aws.close);
    const lambda = await startLambdaEmulator({
      ...place,
      ...dir('lambda'),
      accountId: ACCOUNT_ID,
      readObject: aws.readObject,
      layers: { [LAYER_ARN]: layer },
      childEnv: { AWS_ENDPOINT_URL_SSM: aws.client.endpoint },
    });
    closers.push(lambda.close, queue.close);
    const parts = createParts(options, aws, lambda, queue);
    worker.resolve(createWorker(parts));
    const reconcile = startPasses(createReconcileHandler(parts), log, closers);
    return {
      place: { STAGE, ARTIFACT_BUCKET: BUCKET, ACCOUNT_ID, AWS_REGION: REGION },
      client: aws.client,
      lambdaClient: parts.lambdaClient,
      lambda,
      queue,
      reconcile,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function createQueue({ clock, log }: AppsOptions, worker: Promise<ReturnType<typeof createWorker>>): DevelopmentQueue {
  return createDevelopmentQueue({
    clock,
    handle: async ({ app }) => void (await (await worker).work(app, WORKER_MS)),
    onDead: async ({ app, attempt }, reason) => {
      log.error('work was given up', { app, ...describeError(reason) });
      await (await worker).lose(app, WORKER_MS, attempt);
    },
    delay: async (ms, signal) => void (await wait(ms, undefined, { signal }).catch(() => {})),
  });
}

/** What the functions `worker` and `reconcile` make of their environment. */
function createParts(
  { store, clock, log }: AppsOptions,
  aws: AwsEmulator,
  lambda: LambdaEmulator,
  queue: DevelopmentQueue,
) {
  const { client } = aws;
  const lambdaClient = { ...client, endpoint: lambda.url };
  return {
    store,
    clock,
    log,
    ids: randomUUID,
    random: Math.random,
    delay: async (ms: number) => void (await wait(ms)),
    lambdaClient,
    queue,
    runtime: createLambdaRuntime({ stage: STAGE, client: lambdaClient, artifactBucket: BUCKET }),
    artifacts: createArtifacts({ client, bucket: BUCKET, clock }),
    secretValues: createSecretValues({ stage: STAGE, client }),
    logGroups: createLogGroups({ stage: STAGE, client, retentionDays: LOG_RETENTION_DAYS }),
    roles: createDevelopmentRoles(ACCOUNT_ID),
    images: createDevelopmentImages(),
    probe: createProbe({ fetch }),
    settings: { stage: STAGE, secretsLayerArn: LAYER_ARN },
  };
}

/** The schedules. The first fast pass comes at once: it finds what an earlier run left undone. */
function startPasses(
  handler: ReturnType<typeof createReconcileHandler>,
  log: Log,
  closers: (() => unknown)[],
): DevelopmentApps['reconcile'] {
  const run = (pass: 'fast' | 'drift') => handler({ pass }, { getRemainingTimeInMillis: () => WORKER_MS });
  const runLogged = (pass: 'fast' | 'drift') =>
    run(pass).catch((error: unknown) => log.error('pass failed', { pass, ...describeError(error) }));
  const timers = [
    setInterval(() => void runLogged('fast'), FAST_PASS_MS),
    setInterval(() => void runLogged('drift'), DRIFT_PASS_MS),
  ];
  const first = runLogged('fast');
  closers.push(async () => {
    for (const timer of timers) clearInterval(timer);
    await first;
  });
  return run;
}
