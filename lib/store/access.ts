import { PARTITIONS } from './keys.ts';

/** The only actions on the table that a function can be given: no batch, no transaction, no Scan, nothing on the table itself. */
export type TableAction = 'GetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

/**
 * For each action that a function uses: the partitions it uses it on, as patterns of `keys.ts`. The stack turns this into
 * the policy of the function's role, and `test/infra/table-access.test.ts` holds it against what the services really do.
 */
export type TableAccess = Readonly<Partial<Record<TableAction, readonly string[]>>>;

const { config, configs, label, changes, endpoints, defaultEndpoint, idempotency } = PARTITIONS;

/** `convert` reads what it serves, and writes nothing. */
export const CONVERT_ACCESS: TableAccess = {
  GetItem: [config, endpoints, defaultEndpoint],
  Query: [config, configs, label, changes, endpoints],
};

/** Items of changes and endpoints are never deleted: changes end by TTL, endpoints leave a tombstone. */
export const API_ACCESS: TableAccess = {
  GetItem: [config, endpoints, defaultEndpoint, idempotency],
  Query: [config, configs, label, changes, endpoints],
  PutItem: [config, configs, label, changes, endpoints, defaultEndpoint, idempotency],
  DeleteItem: [config, configs, label, defaultEndpoint, idempotency],
};
