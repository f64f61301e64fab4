import { PARTITIONS } from './keys.ts';

/** The only actions that a function can be given: no batch, no transaction, no Scan, nothing on the table itself. */
export type TableAction = 'GetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

/**
 * For each action that a function uses: the partitions it uses it on, as patterns of `keys.ts`. The stack makes the
 * policy of the function's role of it, and `test/infra/table-access.test.ts` holds it against what the services do.
 */
export type TableAccess = Readonly<Partial<Record<TableAction, readonly string[]>>>;

const { heads, config, configs, label, changes, endpoints, defaultEndpoint, idempotency } = PARTITIONS;

/** `convert` reads what it serves, and writes nothing. */
export const CONVERT_ACCESS: TableAccess = {
  GetItem: [heads, config, endpoints, defaultEndpoint],
  Query: [heads, config, configs, label, changes, endpoints],
};

/** Changes, heads and endpoints are never deleted: changes end by TTL, the others leave a tombstone. */
export const API_ACCESS: TableAccess = {
  GetItem: [heads, config, endpoints, defaultEndpoint, idempotency],
  Query: [heads, config, configs, label, changes, endpoints],
  PutItem: [heads, config, configs, label, changes, endpoints, defaultEndpoint, idempotency],
  DeleteItem: [config, configs, label, defaultEndpoint, idempotency],
};
