import type { Ability } from '../access/abilities.ts';
import type { AuditLog } from '../access/audit.ts';
import { AppError } from '../errors.ts';
import { describeError, type Log, redactPath } from '../telemetry/log.ts';
import type { Principal } from './auth.ts';
import type { HttpRequest, HttpResponse } from './function-url.ts';

interface AuditorOptions {
  readonly audit: Pick<AuditLog, 'record'>;
  readonly log: Log;
}

interface Act {
  readonly request: HttpRequest;
  /** What its route needs. */
  readonly ability: Ability;
  readonly caller: Principal;
}

type Audited = (act: Act, run: () => Promise<HttpResponse>) => Promise<HttpResponse>;

/** Longest path that is kept; ours have less than half of it. */
const MAX_PATH = 1_024;

/**
 * Runs a request and records who asked for what and how it ended, refusals and faults too. What needs no more than `read`
 * is not recorded. An entry that cannot be written goes into the log instead; the answer counts.
 */
export function createAuditor({ audit, log }: AuditorOptions): Audited {
  const record = async ({ request, ability, caller }: Act, statusCode: number): Promise<void> => {
    const entry = {
      actorType: 'token',
      actorId: caller.tokenId,
      actorName: caller.name,
      ability,
      method: request.method,
      path: redactPath(request.path).slice(0, MAX_PATH),
      statusCode,
      remoteAddr: request.sourceIp,
    } as const;
    try {
      await audit.record(entry);
    } catch (error) {
      log.error('audit entry not written', { ...entry, ...describeError(error) });
    }
  };

  return async (act, run) => {
    if (act.ability === 'read') return await run();
    let response: HttpResponse;
    try {
      response = await run();
    } catch (error) {
      await record(act, error instanceof AppError ? error.status : 500);
      throw error;
    }
    await record(act, response.status);
    return response;
  };
}
