import type { Analysis } from './analyse.ts';
import { compileList, withMetadata } from './compile-list.ts';
import { createRouter, type Plan, type Router } from './route.ts';

/**
 * Compiles an analysed config: closures that do only what depends on the object.
 * @throws Error when the analysis has errors: a plan is never built from them
 */
export function compile(analysis: Analysis): Router {
  if (!analysis.ok) throw new Error('a config with errors cannot be compiled');
  const plans = new Map<string, Plan>();
  for (const { version, list, lossless } of analysis.spokes) {
    if (list === undefined) throw new Error(`spoke ${version} was not analysed`);
    const { hubToSpoke, spokeToHub, trace } = compileList(list);
    plans.set(version, { hubToSpoke: withMetadata(hubToSpoke), spokeToHub: withMetadata(spokeToHub), trace, lossless });
  }
  return createRouter(analysis.hubVersion, plans);
}
