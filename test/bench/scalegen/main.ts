import { stringifyJson } from '../../../lib/k8s/json.ts';
import { APISERVER_TOOLS, startApiserver } from '../../e2e/support/apiserver.ts';
import { startRoundhouse } from '../../e2e/support/roundhouse.ts';
import { openWorkbench } from '../../e2e/support/workbench.ts';
import { canRun } from '../../e2e/tools/install.ts';
import { renderFleet } from './fleet.ts';
import { parseOptions, USAGE } from './options.ts';
import { type FleetReport, runFleet } from './run.ts';

const SHOWN = 5;

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { shape, instances, parallel } = options;
  const fleet = renderFleet(shape, instances);
  if (!canRun('apiserver', APISERVER_TOOLS)) return 1;
  const workbench = openWorkbench();
  try {
    const [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
    const report = await runFleet({ apiserver, roundhouse, fleet, namespace: 'default', parallel });
    const faults = renderFaults(report);
    process.stdout.write([...renderFigures(report), ...faults.slice(0, SHOWN)].map((line) => `${line}\n`).join(''));
    if (faults.length > SHOWN) process.stdout.write(`… and ${faults.length - SHOWN} more\n`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await workbench.close();
  }
}

function renderFigures({ targets, objects, setUpSeconds, phases, conversions, differences }: FleetReport): string[] {
  const seconds = (value: number) => `${value.toFixed(3).padStart(9)} s`;
  const failed = phases.reduce((sum, { failures }) => sum + failures.length, 0);
  return [
    `${targets} targets, ${objects} objects`,
    `${'Set up'.padEnd(12)}${seconds(setUpSeconds)}`,
    ...phases.map((phase) => `${phase.name.padEnd(12)}${seconds(phase.seconds)}  ${phase.calls} calls`),
    `${failed} calls failed; ${differences.length} answers are not what the engine makes`,
    ...Object.entries(conversions).map(([result, count]) => `conversion calls, ${result}: ${count}`),
  ];
}

function renderFaults({ phases, conversions, differences }: FleetReport): string[] {
  const failed = Object.entries(conversions).filter(([result, count]) => result !== 'success' && count > 0);
  return [
    ...phases.flatMap(({ failures }) => failures),
    ...failed.map(([result, count]) => `${count} conversion calls of the apiserver ended with ${result}`),
    ...differences.map(({ object, version, expected, received }) => {
      const [is, must] = [received, expected].map((value) =>
        value === undefined ? 'not there' : stringifyJson(value),
      );
      return `${object} at ${version} is ${is}, must be ${must}`;
    }),
  ];
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`scalegen: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
