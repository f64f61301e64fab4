import { PARTITIONS } from './keys.ts';

/** The only actions that a function can be given: no batch, no transaction, no Scan, nothing on the table itself. */
export type TableAction = 'GetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

/** An action on the table, or a Query of its index `attention`, whose partitions are the index's own. */
export type TableGrant = TableAction | 'QueryAttention';

/**
 * For each action that a function uses: the partitions it uses it on, as patterns of `keys.ts`. The stack makes the
 * policy of the function's role of it, and `test/infra/table-access.test.ts` holds it against what the services do.
 */
export type TableAccess = Readonly<Partial<Record<TableGrant, readonly string[]>>>;

const { heads, config, configs, label, changes, endpoints, defaultEndpoint, idempotency } = PARTITIONS;
const { apps, app, domains, tokens, audit, cache, limit, pass } = PARTITIONS;

/** `convert` reads what it serves, and writes nothing. What belongs to apps it cannot even read. */
export const CONVERT_ACCESS: TableAccess = {
  GetItem: [heads, config, endpoints, defaultEndpoint],
  Query: [heads, config, configs, label, changes, endpoints],
};

/**
 * Changes, heads and endpoints are never deleted: changes end by TTL, the others leave a tombstone. An app ends here only
 * when there is nothing of it to remove; then nobody else has to.
 */
export const API_ACCESS: TableAccess = {
  GetItem: [
    ...[heads, config, endpoints, defaultEndpoint, idempotency],
    ...[apps, app, domains, tokens, cache, limit, pass],
  ],
  Query: [heads, config, configs, label, changes, endpoints, apps, app, tokens, audit],
  QueryAttention: [apps],
  PutItem: [
    ...[heads, config, configs, label, changes, endpoints, defaultEndpoint, idempotency],
    ...[apps, app, domains, tokens, audit, cache, limit, pass],
  ],
  UpdateItem: [limit],
  DeleteItem: [config, configs, label, defaultEndpoint, idempotency, apps, domains, cache, pass],
};

/** `worker` has the apps, their history and the domains that go with them; nothing of configs, tokens and the audit log. */
export const WORKER_ACCESS: TableAccess = {
  GetItem: [apps],
  Query: [app, domains],
  PutItem: [apps, app],
  DeleteItem: [apps, app, domains],
};

/** `reconcile` reads apps, writes what it put back or begun anew, and holds the leases of its passes. */
export const RECONCILE_ACCESS: TableAccess = {
  GetItem: [apps],
  Query: [apps],
  QueryAttention: [apps],
  PutItem: [apps, app, pass],
};
