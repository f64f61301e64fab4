import type { AccountState } from '../apps/runtime/runtime.ts';
import type { FleetCache } from './fleet-cache.ts';

/** `GET /system/status`: always there; what is broken turns a flag false or leaves a key out. */
export interface SystemStatus {
  readonly secrets_configured: boolean;
  readonly telemetry_configured: boolean;
  /** Somebody gets a mail when an alarm rings. */
  readonly alerts_configured: boolean;
  /** Looked at now. */
  readonly database_connected: boolean;
  /** The Lambda API answered in the last 30 s. */
  readonly runtime_connected: boolean;
  /** At most 30 s old; left out when it cannot be had. */
  readonly account?: {
    readonly code_bytes: number;
    readonly code_bytes_limit: number;
    readonly functions: number;
    readonly concurrency: number;
    readonly unreserved_concurrency: number;
    /** RFC 3339. */
    readonly fetched_at: string;
  };
}

/** As it is kept in the table. */
export type StoredAccount = { readonly [Key in keyof AccountState]: number };

interface StatusOptions {
  readonly account: FleetCache<StoredAccount>;
  /** Rejects when the table cannot be read. */
  readonly checkDatabase: () => Promise<void>;
  readonly configured: Pick<SystemStatus, 'secrets_configured' | 'telemetry_configured' | 'alerts_configured'>;
}

export async function readStatus({ account, checkDatabase, configured }: StatusOptions): Promise<SystemStatus> {
  const [cached, connected] = await Promise.all([
    account.get(),
    checkDatabase().then(
      () => true,
      () => false,
    ),
  ]);
  return {
    ...configured,
    database_connected: connected,
    runtime_connected: cached !== undefined,
    ...(cached && {
      account: {
        code_bytes: cached.value.codeBytes,
        code_bytes_limit: cached.value.codeBytesLimit,
        functions: cached.value.functions,
        concurrency: cached.value.concurrency,
        unreserved_concurrency: cached.value.unreservedConcurrency,
        fetched_at: new Date(cached.fetchedAt).toISOString(),
      },
    }),
  };
}
