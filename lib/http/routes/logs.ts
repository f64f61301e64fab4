import * as z from 'zod/mini';
import type { LogEntry } from '../../apps/ports.ts';
import type { AppService } from '../../apps/types.ts';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../engine/json.ts';
import { JsonError, parseJson } from '../../k8s/json.ts';
import { type Route, route } from '../route.ts';
import { lenientCount, readPeriod, time } from './queries.ts';
import { jsonObject } from './schemas.ts';

interface LogDeps {
  readonly apps: AppService;
  readonly clock: Clock;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

const entryView = z.strictObject({
  timestamp: z.string(),
  stream: z.string(),
  message: z.string(),
  structured: z.boolean(),
  fields: z.exactOptional(jsonObject),
});

export const logRoutes: readonly Route<LogDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/apps/{name}/logs',
    ability: 'read',
    summary: 'Log lines of an app, oldest first, of the last hour unless asked otherwise',
    query: z.strictObject({
      from: z.exactOptional(time),
      to: z.exactOptional(time),
      q: z.exactOptional(z.string().check(z.meta({ description: 'text that a line must contain' }))),
      limit: lenientCount(1, MAX_LIMIT),
      next: z.exactOptional(z.string()),
    }),
    response: z.strictObject({ entries: z.array(entryView), next: z.exactOptional(z.string()) }),
    handle: async ({ params, query }, { apps, clock }: LogDeps) => {
      const { q, limit = DEFAULT_LIMIT, next } = query;
      const found = await apps.logs(params.name, {
        ...readPeriod(query, clock.now()),
        limit,
        ...(q !== undefined && { contains: q }),
        ...(next !== undefined && { next }),
      });
      return { body: { ...found, entries: found.entries.map(renderEntry) } };
    },
  }),
];

function renderEntry({ at, stream, message }: LogEntry) {
  const fields = readFields(message);
  const entry = { timestamp: new Date(at).toISOString(), stream, message, structured: fields !== undefined };
  return fields === undefined ? entry : { ...entry, fields };
}

/** What the Node.js runtime of Lambda puts before what an app gives to `console`: time, request and level. */
const RUNTIME_PREFIX = /^\S+\t[\w-]*\t[A-Z]+\t/;

/** What a line says as a JSON object, if it is one. */
function readFields(line: string): JsonObject | undefined {
  const message = line.replace(RUNTIME_PREFIX, '');
  // JSON that begins with a brace is an object; anything else need not be parsed.
  if (!message.trimStart().startsWith('{')) return undefined;
  try {
    return parseJson(message) as JsonObject;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return undefined;
  }
}
