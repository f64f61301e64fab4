import { AppError } from '../../errors.ts';
import { loadApps } from '../records.ts';
import type { AppServiceDeps } from './deps.ts';

/**
 * Keeps what apps reserve together within their budget, so that they leave instances for everything else of the account.
 * Two requests at once can pass it; Lambda itself then refuses to go below its own floor of unreserved instances.
 * @throws AppError CONFLICT
 */
export async function checkConcurrency(
  deps: AppServiceDeps,
  name: string,
  wanted: number | undefined,
  before?: number,
): Promise<void> {
  if (wanted === undefined || (before !== undefined && wanted <= before)) return;
  const others = (await loadApps(deps)).filter((app) => app.name !== name);
  const reserved = others.reduce((sum, { spec }) => sum + (spec.reservedConcurrency ?? 0), 0);
  const room = deps.maxConcurrency - reserved;
  if (wanted <= room) return;
  const text = `${wanted} instances cannot be reserved for the app ${name}: apps may reserve ${deps.maxConcurrency} together`;
  throw new AppError(
    'CONFLICT',
    `${text}, and others have ${reserved}. Ask for at most ${Math.max(0, room)}, or for none.`,
  );
}
