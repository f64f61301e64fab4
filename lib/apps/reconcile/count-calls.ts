import type { Runtime } from '../runtime/runtime.ts';

/** A runtime that counts its calls. */
export function countCalls(runtime: Runtime): { readonly runtime: Runtime; readonly count: () => number } {
  let calls = 0;
  const counted = Object.entries(runtime).map(([name, method]) => [
    name,
    (...input: unknown[]) => {
      calls += 1;
      return Reflect.apply(method as (...input: unknown[]) => unknown, runtime, input);
    },
  ]);
  return { runtime: Object.fromEntries(counted) as Runtime, count: () => calls };
}
