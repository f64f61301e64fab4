import * as z from 'zod/mini';
import type { AuditEntry, AuditLog } from '../../access/audit.ts';
import { type Route, route } from '../route.ts';
import { linkNext } from './answers.ts';
import { lenientCount, time } from './queries.ts';

interface AuditDeps {
  readonly audit: Pick<AuditLog, 'list'>;
}

const PATH = '/api/v1/audit-log';
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const entryView = z.strictObject({
  id: z.string(),
  actor_type: z.literal('token'),
  actor_id: z.string(),
  actor_name: z.string(),
  ability: z.string(),
  method: z.string(),
  path: z.string(),
  status_code: z.int(),
  remote_addr: z.string(),
  created_at: z.string(),
});

export const auditRoutes: readonly Route<AuditDeps>[] = [
  route({
    method: 'GET',
    path: PATH,
    ability: 'root',
    summary: 'Who did what in the last 90 days, newest first: every request that needs more than read',
    query: z.strictObject({
      limit: lenientCount(1, MAX_LIMIT),
      before: z.exactOptional(time),
      next: z.exactOptional(z.string()),
    }),
    response: z.array(entryView),
    handle: async ({ query }, { audit }: AuditDeps) => {
      const { limit = DEFAULT_LIMIT, ...from } = query;
      const { items, next } = await audit.list({ limit, ...from });
      const headers = next === undefined ? {} : linkNext(PATH, { limit, next });
      return { headers, body: items.map(renderEntry) };
    },
  }),
];

function renderEntry(entry: AuditEntry) {
  return {
    id: entry.id,
    actor_type: entry.actorType,
    actor_id: entry.actorId,
    actor_name: entry.actorName,
    ability: entry.ability,
    method: entry.method,
    path: entry.path,
    status_code: entry.statusCode,
    remote_addr: entry.remoteAddr,
    created_at: new Date(entry.createdAt).toISOString(),
  };
}
