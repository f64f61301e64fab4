import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/style.ts';
import { renderTable } from '../output/table.ts';
import type { WireReport } from './run-wire.ts';

const COLOURS = { ok: 'green', failed: 'red', skipped: 'yellow' } as const;

/** Prints what `wire` checked and did. */
export function renderWire({ checks, applied, reason, resource, url, action, crds = [] }: WireReport, io: Io): void {
  if (checks.length > 0) {
    const rows = checks.map(({ check, result, detail }) => [check, paint(io, COLOURS[result], result), detail]);
    io.out(renderTable([['CHECK', 'RESULT', 'DETAIL'], ...rows]));
  }
  if (!applied) {
    io.out(`nothing was changed: ${printable(reason ?? '')}\n`);
    return;
  }
  const done = action === 'wire' ? `asks ${url}` : 'asks no webhook';
  io.out(`${paint(io, 'green', action === 'wire' ? 'wired' : 'reverted')}: ${resource} ${done}\n`);
  for (const { name, wired, differences = [] } of crds) {
    if (!wired) io.out(`${paint(io, 'red', 'not passed on')}: CRD ${name}: ${printable(differences.join('; '))}\n`);
  }
}
