import { type AppStoreDeps, loadApps } from '../records.ts';
import type { AppListQuery } from '../types.ts';

const MAX_APPS = 500;

/** By name. Larger limits count as 500, and nonsense as nothing, as in the peer. */
export async function listApps(deps: Pick<AppStoreDeps, 'store'>, { q = '', limit, offset }: AppListQuery) {
  const wanted = q.toLowerCase();
  const found = (await loadApps(deps)).filter(({ name }) => name.includes(wanted));
  const from = isWhole(offset) ? offset : 0;
  const count = isWhole(limit) && limit > 0 ? Math.min(limit, MAX_APPS) : MAX_APPS;
  return { apps: found.slice(from, from + count), total: found.length };
}

function isWhole(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}
