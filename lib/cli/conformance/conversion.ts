import type { Inspection } from '../../configs/inspect.ts';
import type { Analysis } from '../../engine/analyse.ts';
import { compile } from '../../engine/compile.ts';
import type { Json, JsonObject } from '../../engine/json.ts';
import type { Router } from '../../engine/route.ts';
import { AppError } from '../../errors.ts';
import type { Target } from '../../k8s/target.ts';

/** A config without errors, ready to convert objects of its target. */
export interface Conversion {
  readonly config: string;
  readonly target: Target;
  readonly analysis: Analysis;
  readonly router: Router;
  /** The raw rules of each spoke. */
  readonly spokes: readonly { readonly version: string; readonly rules: readonly Json[] }[];
  /** Served versions that the config converts, in the order of the schema; without one, all served. */
  readonly versions: readonly string[];
}

/** @throws Error when the inspection has errors */
export function createConversion({ config, schema, source, analysis }: Required<Inspection>): Conversion {
  const router = compile(analysis);
  const served = schema.versions.filter((version) => version.served).map(({ name }) => name);
  const converted = served.filter((name) => router.has(name));
  return {
    config: config.name,
    target: schema,
    analysis,
    router,
    spokes: source.spokes,
    versions: converted.length > 0 ? converted : served,
  };
}

export function schemaOf({ target }: Conversion, version: string): JsonObject {
  return target.versions.find(({ name }) => name === version)?.schema ?? {};
}

/** What is tested: from a version to another. */
export interface VersionPair {
  readonly from: string;
  readonly to: string;
}

/** Reads `FROM:TO`. @throws AppError for another form, or a version that is not tested */
export function parseVersionPair(text: string, { versions }: Conversion): VersionPair {
  const [from, to, more] = text.split(':');
  if (!from || !to || more !== undefined) {
    throw new AppError('BAD_REQUEST', `--version-pair ${text} is no pair: write FROM:TO, such as ${example(versions)}`);
  }
  const unknown = [from, to].find((version) => !versions.includes(version));
  if (unknown === undefined) return { from, to };
  throw new AppError('BAD_REQUEST', `--version-pair ${text}: there is no ${unknown}; versions: ${versions.join(', ')}`);
}

function example([first = 'v1', second = 'v2']: readonly string[]): string {
  return `${first}:${second}`;
}
