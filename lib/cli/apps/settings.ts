import { getOwn, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { parseJson } from '../../k8s/json.ts';
import { parseMilliseconds } from '../cluster/milliseconds.ts';
import type { Flag } from '../command.ts';
import { readSource } from '../input/files.ts';
import type { Io } from '../io.ts';

/** Flags for what an app should be; each goes before what a file says of it. */
export const SETTINGS_FLAGS = {
  image: { value: 'URI', summary: 'an image of ECR, or artifact:ID; without it code comes with the first deploy' },
  env: { value: 'K=V', repeat: true, summary: 'a variable; secrets have their own command' },
  memory: { value: 'SIZE', summary: 'such as 512MB or 1GB; processor time comes with it' },
  appTimeout: { value: 'DURATION', summary: 'how long the app may take for one request: 1s to 15m' },
  healthPath: { value: 'PATH', summary: 'what a new version must answer with 2xx before it gets traffic' },
  domain: { value: 'HOST', repeat: true, summary: "a host name that is this app's" },
  file: { short: 'f', value: 'FILE', summary: 'the app as JSON, as the API takes it; - for standard input' },
} as const satisfies Record<string, Flag>;

interface Settings {
  readonly image?: string | undefined;
  readonly env: readonly string[];
  readonly memory?: string | undefined;
  readonly appTimeout?: string | undefined;
  readonly healthPath?: string | undefined;
  readonly domain: readonly string[];
  readonly file?: string | undefined;
}

/** An app as POST takes it. The server judges it. @throws AppError for a file or flag that cannot be read */
export async function readSettings(name: string, flags: Settings, io: Io): Promise<JsonObject> {
  const given = flags.file === undefined ? {} : await readAppFile(flags.file, io);
  const { memory, appTimeout, healthPath, domain } = flags;
  const image = flags.image ?? getOwn(given, 'image') ?? `${name}:pending`;
  return {
    ...given,
    name,
    image,
    ...(flags.env.length > 0 && { env: { ...objectAt(given, 'env'), ...parseVariables(flags.env) } }),
    ...(memory !== undefined && { resources: { ...objectAt(given, 'resources'), memory_bytes: parseSize(memory) } }),
    ...(appTimeout !== undefined && { timeout_seconds: parseMilliseconds(appTimeout, '--app-timeout') / 1000 }),
    ...(healthPath !== undefined && { health: withPath(objectAt(given, 'health'), healthPath) }),
    ...(domain.length > 0 && { domains: [...domain] }),
  };
}

/** @throws AppError */
export async function readAppFile(path: string, io: Io): Promise<JsonObject> {
  const { name, text } = await readSource(path, 'app file', io);
  let value: Json | undefined;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', `${name} is not JSON: ${(cause as Error).message}`, {}, { cause });
  }
  if (isObject(value)) return value;
  throw new AppError('BAD_REQUEST', `${name} is not an app: it must be one JSON object`);
}

/** `K=V` each; a value may have any characters, also "=". @throws AppError that shows no value */
export function parseVariables(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
      throw new AppError(
        'BAD_REQUEST',
        'a variable is written NAME=VALUE, and one of those given has no "=" behind its name',
      );
    }),
  );
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  MB: 1,
  MI: 1,
  MIB: 1,
  M: 1,
  GB: 1024,
  GI: 1024,
  GIB: 1024,
  G: 1024,
};

/** Lambda's MB are 2^20 bytes, whatever they are called. */
function parseSize(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const megabytes = Number(amount) * (UNITS[unit.toUpperCase()] ?? Number.NaN);
  if (megabytes > 0) return Math.round(megabytes * 1024 * 1024);
  throw new AppError('BAD_REQUEST', `--memory is "${text}": write a size such as 512MB or 1GB`);
}

function withPath(health: JsonObject, path: string): JsonObject {
  return { ...health, readiness: { ...objectAt(health, 'readiness'), path } };
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found = getOwn(value, key);
  return isObject(found) ? found : {};
}
