import { Resolver } from 'node:dns/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { TokenService } from '../access/tokens.ts';
import { loadApps } from '../apps/records.ts';
import type { LambdaReads } from '../apps/runtime/lambda-reads.ts';
import { createCertificates } from '../apps/services/certificates.ts';
import type { Clock } from '../clock.ts';
import { DEFAULT_ENDPOINT, DOMAINS } from '../store/keys.ts';
import type { Store } from '../store/ports.ts';
import { createSystemService } from '../system/service.ts';
import type { SystemStatus } from '../system/status.ts';
import type { AwsClient } from './apps-on-aws.ts';
import type { ApiServices } from './route-table.ts';

interface SystemOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly client: AwsClient;
  readonly runtime: LambdaReads;
  readonly tokens: Pick<TokenService, 'list'>;
  readonly convertUrl: string;
  /** One review through that URL: what is wrong with the answer, or undefined. */
  readonly probeConvert: () => Promise<string | undefined>;
  readonly fetch: typeof globalThis.fetch;
  readonly publicHost: string | undefined;
  readonly certificateWarningMs: number;
  readonly configured: Pick<SystemStatus, 'secrets_configured' | 'telemetry_configured' | 'alerts_configured'>;
}

/** For one name, however many servers there are. */
const DNS = { timeout: 4_000, tries: 1 };
const SERVER_TIME_MS = 3_000;

/** Status, doctor, certificates and the check of domains on the clients of AWS, and how the table is found readable. */
export function createSystemOnAws(options: SystemOptions): Pick<ApiServices, 'system' | 'checkReady'> {
  const { store, clock, fetch, tokens, convertUrl } = options;
  const checkDatabase = async () => void (await store.get(DEFAULT_ENDPOINT));
  const system = createSystemService({
    ...options,
    certificates: createCertificates(options),
    loadApps: () => loadApps({ store }),
    // The claims themselves: one Query, however many apps there are.
    claimedDomains: async () => (await store.query({ pk: DOMAINS })).map(({ sk }) => sk),
    dns: new Resolver(DNS),
    delay: (ms) => wait(ms, undefined, { ref: false }),
    checkDatabase,
    countTokens: async () => {
      const now = clock.now();
      return (await tokens.list()).filter(({ expiresAt = Number.POSITIVE_INFINITY, revokedAt }) => {
        return revokedAt === undefined && expiresAt > now;
      }).length;
    },
    // The platform in front of a function URL stamps every answer, refusals included.
    serverTime: async () => {
      const answer = await fetch(convertUrl, { method: 'HEAD', signal: AbortSignal.timeout(SERVER_TIME_MS) });
      const time = Date.parse(answer.headers.get('date') ?? '');
      if (Number.isNaN(time)) throw new Error('the answer has no date');
      return time;
    },
  });
  return { system, checkReady: checkDatabase };
}
