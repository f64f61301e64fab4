import { parseArgs } from 'node:util';
import { DEFAULT_SHAPE, type FleetShape } from './assignment.ts';

export const USAGE = `Brings a fleet of generated CRDs, with all 29 strategies, to a kube-apiserver and a Roundhouse of its own, creates objects
at v1, lists them at v1, v2 and v3, and compares them with what the engine makes of them.

Usage: npm run scalegen -- [--targets N] [--instances N] [--strategies-min N] [--strategies-max N] [--seed N] [--parallel N]

  --targets N         CRDs, each with a config (default 4)
  --instances N       objects of each (default 5)
  --strategies-min N  strategies of each spoke, at least (default 3)
  --strategies-max N  and at most (default 10)
  --seed N            which strategies where (default 1)
  --parallel N        calls at a time (default 8)
  --help              show this text
`;

const FLAGS = {
  targets: { type: 'string', default: String(DEFAULT_SHAPE.targets) },
  instances: { type: 'string', default: '5' },
  'strategies-min': { type: 'string', default: String(DEFAULT_SHAPE.strategiesMin) },
  'strategies-max': { type: 'string', default: String(DEFAULT_SHAPE.strategiesMax) },
  seed: { type: 'string', default: String(DEFAULT_SHAPE.seed) },
  parallel: { type: 'string', default: '8' },
  help: { type: 'boolean' },
} as const;

interface Options {
  readonly shape: FleetShape;
  readonly instances: number;
  readonly parallel: number;
}

/** Throws an `Error` that says what is wrong with the command line; undefined when help is wanted. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: false });
  if (values.help) return undefined;
  const integer = (name: Exclude<keyof typeof FLAGS, 'help'>, least: number) => {
    const value = /^-?\d+$/.test(values[name]) ? Number(values[name]) : Number.NaN;
    if (value >= least && Number.isSafeInteger(value)) return value;
    const from = Number.isFinite(least) ? ` from ${least}` : '';
    throw new Error(`--${name} takes an integer${from}, not "${values[name]}"`);
  };
  return {
    shape: {
      targets: integer('targets', 1),
      strategiesMin: integer('strategies-min', 1),
      strategiesMax: integer('strategies-max', 1),
      seed: integer('seed', Number.NEGATIVE_INFINITY),
    },
    instances: integer('instances', 1),
    parallel: integer('parallel', 1),
  };
}
