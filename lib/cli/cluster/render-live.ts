import { show } from '../../engine/conversion-error.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/style.ts';
import { renderTable } from '../output/table.ts';
import type { LiveReport } from './live-analysis.ts';
import { renderMilliseconds } from './milliseconds.ts';

/** How many objects that fail are shown; JSON has them all. */
const SHOWN = 20;

/** What a cluster's objects say about a conversion, for people. */
export function renderLive(report: LiveReport, io: Io): string {
  const { context, server, objects, crds } = report;
  const stored = crds.map(({ crd, storedVersions, objects: count }) => {
    return `  ${crd}: ${count} objects, storedVersions ${storedVersions.join(', ') || 'none'}\n`;
  });
  return [
    `Cluster: context ${context}, ${server}: ${objects} objects\n`,
    ...(stored.length > 1 || (crds[0]?.storedVersions.length ?? 0) > 1 ? stored : []),
    `\n${renderCosts(report)}`,
    ...linesOf(report, io),
  ].join('');
}

function renderCosts({ versions, roundTripMs }: LiveReport): string {
  const rows = versions.map(({ version, converts, atMost, refillSeconds }) => [
    version,
    `${atMost ? 'at most ' : ''}${converts}`,
    converts === 0 ? 'at once' : renderMilliseconds(refillSeconds * 1000),
  ]);
  return renderTable([
    ['VERSION', 'OBJECTS A READ CONVERTS', `CACHE REFILL AT ${renderMilliseconds(roundTripMs)} A CALL`],
    ...rows,
  ]);
}

function linesOf({ findings, managedFieldsWithoutPlan, unmappedValues, failures }: LiveReport, io: Io): string[] {
  const line = (severity: 'error' | 'warning', message: string) =>
    `${paint(io, severity === 'error' ? 'red' : 'yellow', severity)}: ${printable(message)}\n`;
  const seen = ({ objects, example }: { readonly objects: number; readonly example: string }) =>
    objects === 1 ? example : `${objects} objects, ${example} for one`;
  const lines = [
    ...findings.map(({ severity, message }) => line(severity, message)),
    ...managedFieldsWithoutPlan.map(({ version, managers, ...of }) => {
      const why = `managedFields name ${version} (${managers.join(', ')}), which no spoke converts: server-side apply fails`;
      return line('error', `${why}: ${seen(of)}`);
    }),
    ...unmappedValues.map(({ spoke, rule, path, value, policy, ...of }) => {
      const what = policy === 'Error' ? 'cannot be converted' : 'is dropped';
      return line(
        policy === 'Error' ? 'error' : 'warning',
        `[${spoke}] rule ${rule}: ${path} ${show(value)} ${what}: ${seen(of)}`,
      );
    }),
    ...failures
      .slice(0, SHOWN)
      .map(({ object, to, error }) => line('error', `${object} cannot be read at ${to}: ${error}`)),
  ];
  if (failures.length > SHOWN) lines.push(line('error', `and ${failures.length - SHOWN} more; -o json has all`));
  return lines.length === 0 ? [] : ['\n', ...lines];
}
