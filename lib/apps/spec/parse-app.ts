import { isObject, type Json, type JsonObject } from '../../engine/json.ts';
import type { AppSpec } from '../model.ts';
import type { CheckedSpec } from '../types.ts';
import { parseDomains } from './domains.ts';
import { envNameFault, envSizeFault, envValueFault } from './env.ts';
import { type Fields, readFields } from './fields.ts';
import { parseHealth } from './health.ts';
import { type Account, parseImage } from './image.ts';
import { parseLabels } from './labels.ts';
import { APP_NAME, NAME_RULE } from './name.ts';
import { badRequest, createFindings, type Findings } from './problems.ts';
import { checkUnused, warnUnused } from './unused.ts';

export interface ParseContext {
  readonly account: Account;
  /** Under which path an app reads its secrets: it is one of the app's variables, which have a limit. */
  readonly secretsPath: (app: string) => string;
  /** How many instances apps may reserve together. */
  readonly maxConcurrency: number;
}

export interface ParsedApp extends CheckedSpec {
  readonly name: string;
}

const WHAT = 'the app is not valid';
export const STRATEGIES = ['blue-green', 'rolling', 'recreate'] as const;
export const RUNTIMES = ['nodejs24.x', 'nodejs22.x'] as const;
export const ARCHITECTURES = ['arm64', 'x86_64'] as const;
const MB = 1024 * 1024;
export const MEMORY_MB = { from: 128, to: 10_240, default: 512 };
export const TIMEOUT_SECONDS = { from: 1, to: 900, default: 30 };
const DEFAULT_PORT = 8080;
/** The peer has no upper limit; this one keeps the number exact. */
const MAX_REPLICAS = 10_000;

const KEYS = [
  ...['name', 'image', 'port', 'strategy', 'replicas', 'labels', 'domains', 'env', 'resources', 'health'],
  ...['runtime', 'handler', 'architecture', 'timeout_seconds', 'reserved_concurrency'],
];

/**
 * Parses the body of POST /apps, or of PUT /apps/{name} when `name` is given: the name in the path wins. Defaults are
 * filled in; 0 and the empty text mean the default where the peer says so.
 * @throws AppError BAD_REQUEST with one entry for each fault, in the peer's order
 */
export function parseApp(body: unknown, context: ParseContext, pathName?: string): ParsedApp {
  if (!isObject(body as Json)) throw badRequest(WHAT, [], 'must be an object');
  const source = body as JsonObject;
  const findings = createFindings(WHAT);
  const fields = readFields(source, [], findings);
  const name = pathName ?? readName(fields, findings);
  const spec = parseSpec(name, fields, context, findings);
  warnUnused(source, [], KEYS, findings);
  const given = readGiven(fields, findings);
  findings.check();
  return { name, spec, warnings: findings.warnings, given };
}

function parseSpec(name: string, fields: Fields, context: ParseContext, findings: Findings): AppSpec {
  const image = readImage(fields, context.account, findings);
  const port = fields.whole('port', { from: 1, to: 65_535 }) ?? DEFAULT_PORT;
  checkUnused(fields, findings);
  const strategy = fields.choice('strategy', STRATEGIES) ?? 'blue-green';
  if (strategy !== 'blue-green') {
    findings.warn(
      `strategy ${strategy} is treated as blue-green: the new version takes all requests once it is proven.`,
    );
  }
  const replicas = fields.whole('replicas', { from: 0, to: MAX_REPLICAS }) || 1;
  if (replicas > 1) {
    findings.warn('replicas does nothing: Lambda starts as many instances as requests need. See reserved_concurrency.');
  }
  const labels = parseLabels(fields.object('labels') ?? {}, findings);
  const domains = parseDomains(fields.list('domains') ?? [], findings);
  const env = parseEnv(fields.object('env') ?? {}, findings);
  const size = envSizeFault(name, { env, port }, context.secretsPath(name));
  if (size !== undefined) findings.wrong(['env'], size);
  const health = fields.object('health');
  const readiness = health && parseHealth(health, findings);
  const reservedConcurrency = readConcurrency(fields, context, findings);
  return {
    image,
    port,
    strategy,
    replicas,
    labels,
    domains,
    env,
    memoryMb: readMemory(fields.object('resources') ?? {}, findings),
    ...(readiness && { readiness }),
    ...readCodeFields(fields, findings),
    ...(reservedConcurrency !== undefined && { reservedConcurrency }),
  };
}

function readCodeFields(fields: Fields, { wrong }: Findings) {
  const handler = fields.text('handler', 128) || 'index.handler';
  if (!/^[\x21-\x7e]+$/.test(handler)) wrong(['handler'], 'must be a file and an export without spaces: index.handler');
  return {
    runtime: fields.choice('runtime', RUNTIMES) ?? RUNTIMES[0],
    handler,
    architecture: fields.choice('architecture', ARCHITECTURES) ?? ARCHITECTURES[0],
    timeoutSeconds: fields.whole('timeout_seconds', { ...TIMEOUT_SECONDS, unit: 'seconds' }) ?? TIMEOUT_SECONDS.default,
  };
}

function readName(fields: Fields, { wrong }: Findings): string {
  const name = fields.text('name', 255);
  if (name === undefined && fields.value('name') === undefined) wrong(['name'], 'is missing');
  else if (name !== undefined && !APP_NAME.test(name)) wrong(['name'], NAME_RULE);
  return name ?? '';
}

function readImage(fields: Fields, account: Account, { wrong }: Findings): string {
  const image = fields.text('image', 512);
  if (image === undefined || image === '') {
    const hint = 'an image of ECR, artifact:<id> of an upload, or app:pending while there is no code yet';
    if (image === '' || fields.value('image') === undefined) wrong(['image'], `is missing: it is ${hint}`);
    return '';
  }
  const parsed = parseImage(image, account);
  if (parsed.kind === 'malformed') wrong(['image'], parsed.reason);
  return image;
}

function parseEnv(env: JsonObject, { wrong }: Findings): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) {
    const fault = envNameFault(key) ?? envValueFault(value);
    if (fault === undefined) kept[key] = value as string;
    else wrong(['env', key], fault);
  }
  return kept;
}

function readMemory(resources: JsonObject, findings: Findings): number {
  warnUnused(resources, ['resources'], ['memory_bytes'], findings);
  const { from, to } = MEMORY_MB;
  const fields = readFields(resources, ['resources'], findings);
  if (!fields.value('memory_bytes')) return MEMORY_MB.default;
  const bytes = fields.whole('memory_bytes', { from: from * MB, to: to * MB, unit: `${from} to ${to} MB` });
  return bytes === undefined ? MEMORY_MB.default : Math.ceil(bytes / MB);
}

function readConcurrency(fields: Fields, { maxConcurrency }: ParseContext, { wrong }: Findings): number | undefined {
  if (fields.value('reserved_concurrency') !== 0) {
    return fields.whole('reserved_concurrency', { from: 1, to: maxConcurrency, unit: 'instances' });
  }
  wrong(['reserved_concurrency'], 'must not be 0: that would stop the app. Leave it out, or POST /apps/{name}/stop');
  return undefined;
}

/** Keys that other routes write. They are compared with what is stored, and never stored. */
function readGiven(fields: Fields, { wrong }: Findings): NonNullable<CheckedSpec['given']> {
  const suspended = fields.value('suspended');
  if (suspended !== undefined && typeof suspended !== 'boolean') wrong(['suspended'], 'must be true or false');
  const names = fields.list('secret_env');
  const known = names?.every((name) => typeof name === 'string') ?? true;
  if (!known) wrong(['secret_env'], 'must be a list of texts');
  return {
    ...(typeof suspended === 'boolean' && { suspended }),
    ...(names !== undefined && known && { secretEnv: names as readonly string[] }),
  };
}
