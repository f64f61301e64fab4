import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateSummary } from '@aws-sdk/client-acm';
import type { InvocationStore, LogStore } from '../lambda/stores.ts';
import { foreignCaller } from '../loopback-only.ts';
import { createCertificateService } from './certificate-service.ts';
import { AwsError, type JsonService } from './json-service.ts';
import { createLogService } from './log-service.ts';
import { createMetricService } from './metric-service.ts';
import { createObjectService } from './object-service.ts';
import { openObjectStore } from './object-store.ts';
import { renderObjectError } from './object-xml.ts';
import { openParameters } from './parameters.ts';
import { readBody } from './read-body.ts';

export interface AwsEmulatorOptions {
  readonly clock: { now(): number };
  /** Buckets that there are. */
  readonly buckets: readonly string[];
  /** What the Lambda emulator writes and CloudWatch shows. */
  readonly logs: LogStore;
  readonly invocations: InvocationStore;
  readonly certificates?: readonly CertificateSummary[];
  /** Folder that keeps objects and parameters; without one they are gone at the end. */
  readonly dir?: string;
  readonly account?: string;
  readonly region?: string;
  /** Gets what goes wrong in the emulator itself. */
  readonly onFault?: (fault: unknown) => void;
}

export interface AwsEmulator {
  /** What a client of the SDK connects with. */
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** What was called, the newest 1,000: `AmazonSSM.PutParameter`, or a method and a path of S3. */
  readonly calls: readonly string[];
  /** For the Lambda emulator, which reads packages; undefined when it is not there. */
  readonly readObject: (object: ObjectName) => Promise<Uint8Array | undefined>;
  /** Ends running requests too. */
  close(): Promise<void>;
}

interface ObjectName {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
}

interface Services {
  readonly calls: string[];
  /** By the first part of the header X-Amz-Target. */
  readonly json: Readonly<Record<string, JsonService>>;
  readonly objects: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

const CREDENTIALS = { accessKeyId: 'development', secretAccessKey: 'development' };
const MAX_CALLS = 1_000;
const MAX_JSON_BYTES = 1_000_000;

/**
 * What apps need of AWS beside Lambda, on one loopback port: packages (S3), secrets (Parameter Store), logs and metrics
 * (CloudWatch), certificates (ACM). Only the operations that Roundhouse calls; signatures are not looked at.
 */
export async function startAwsEmulator(options: AwsEmulatorOptions): Promise<AwsEmulator> {
  const { clock, logs, region = 'us-east-1', account = '000000000000' } = options;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'roundhouse-aws-')));
  const place = { account, region, clock };
  const objects = await openObjectStore(join(dir, 's3'), clock);
  const parameters = await openParameters({ ...place, ...(options.dir !== undefined && { dir: join(dir, 'ssm') }) });
  const services: Services = {
    calls: [],
    json: {
      AmazonSSM: parameters,
      Logs_20140328: createLogService({ ...place, logs }),
      GraniteServiceVersion20100801: createMetricService(options.invocations),
      CertificateManager: createCertificateService(options.certificates ?? []),
    },
    objects: createObjectService({ objects, clock, buckets: new Set(options.buckets) }),
  };
  const server = createServer((request, response) => void serve(services, request, response, options.onFault));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    calls: services.calls,
    client: { endpoint: `http://127.0.0.1:${port}`, region, credentials: CREDENTIALS },
    async readObject({ bucket, key, versionId }) {
      const version = objects.find(bucket, key, versionId);
      return version === undefined || version.isMarker ? undefined : await objects.read(version);
    },
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

async function serve(
  { calls, json, objects }: Services,
  request: IncomingMessage,
  response: ServerResponse,
  onFault: ((fault: unknown) => void) | undefined,
): Promise<void> {
  const { 'x-amz-target': target } = request.headers;
  response.setHeader('x-amzn-requestid', randomUUID());
  calls.push(typeof target === 'string' ? target : `${request.method} ${request.url?.split('?', 1)}`);
  if (calls.length > MAX_CALLS) calls.shift();
  try {
    const foreign = foreignCaller(request.headers);
    if (foreign !== undefined) throw new AwsError('AccessDenied', foreign, 403);
    if (typeof target !== 'string') return await objects(request, response);
    const output = await callJson(json, target, request);
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(output));
  } catch (error) {
    // The caller has gone, or has to see that the answer ends by half.
    if (request.destroyed && !request.complete) return;
    if (!(error instanceof AwsError)) onFault?.(error);
    if (response.headersSent) return void response.destroy();
    const shown = error instanceof AwsError ? error : new AwsError('InternalError', 'The emulator failed.', 500);
    refuse(request, response, shown);
  }
}

async function callJson(services: Services['json'], target: string, request: IncomingMessage): Promise<object> {
  const [service = '', name = ''] = target.split('.');
  const operations = Object.hasOwn(services, service) ? services[service] : undefined;
  const operation = operations && Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined)
    throw new AwsError('UnknownOperationException', `This emulator does not know ${target}.`);
  if (request.headers.authorization === undefined) {
    throw new AwsError('MissingAuthenticationTokenException', 'The request is not signed.');
  }
  return await operation(JSON.parse((await readBody(request, MAX_JSON_BYTES)).toString()));
}

/** In the form of the service that was called. Where a body was left unread, the connection ends after the answer. */
function refuse(request: IncomingMessage, response: ServerResponse, error: AwsError): void {
  const isJson = request.headers['x-amz-target'] !== undefined;
  const { code: __type, message } = error;
  const body = isJson ? JSON.stringify({ __type, message }) : renderObjectError(error);
  response.writeHead(error.status, {
    'content-type': isJson ? 'application/x-amz-json-1.1' : 'application/xml',
    ...(!request.complete && { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
