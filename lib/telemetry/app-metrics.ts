import { createPublisher, type PublisherOptions } from './metrics.ts';

/** An attempt that ended because it came to a verdict. */
export interface DeployRecord {
  readonly result: 'succeeded' | 'failed';
  /** From the moment it was asked for. */
  readonly durationMs: number;
  readonly app: string;
  /** Id of the attempt. */
  readonly attempt: string;
  /** Why it failed. */
  readonly code?: string | undefined;
}

export interface WorkerTelemetry {
  deploy(record: DeployRecord): void;
}

/** A pass that came to its end; one that threw publishes nothing, and so is missed. */
export interface PassRecord {
  readonly pass: 'fast' | 'drift';
  readonly durationMs: number;
  /** Calls of AWS, those of the table left out. */
  readonly calls: number;
  /** Apps that were sent to the worker. */
  readonly sent?: number | undefined;
}

export interface ReconcileTelemetry {
  pass(record: PassRecord): void;
}

export interface ApiTelemetry {
  /** A request that was refused because its caller sends too many. */
  rateLimited(tier: string): void;
}

/** The metrics of `worker`, for `[service, stage]`; which app and which attempt are properties of the line. */
export function createWorkerMetrics(options: PublisherOptions): WorkerTelemetry {
  const publish = createPublisher('worker', options);
  return {
    deploy: ({ result, durationMs, ...properties }) => {
      const values = { Deploys: 1, DeploysFailed: result === 'failed' ? 1 : 0, DeployDuration: durationMs };
      publish(values, { result, ...properties });
    },
  };
}

/** The metrics of `reconcile`, for `[service, stage]`. */
export function createReconcileMetrics(options: PublisherOptions): ReconcileTelemetry {
  const publish = createPublisher('reconcile', options);
  return {
    pass: ({ pass, durationMs, calls, sent }) => {
      publish({ ReconcileDuration: durationMs, ReconcileCalls: calls }, { pass, sent: sent?.toString() });
    },
  };
}

/** The metrics of `api`, for `[service, stage]`. */
export function createApiMetrics(options: PublisherOptions): ApiTelemetry {
  const publish = createPublisher('api', options);
  return { rateLimited: (tier) => publish({ RateLimited: 1 }, { tier }) };
}
