import { getOwn, isArray, isObject, type Json } from './json.ts';

/**
 * The heavy libraries (CEL, RE2) and what only their rules need. A cold start loads them only when a plan uses them,
 * so each is a chunk of its own in the bundle.
 */
const loaders = {
  cel: () => import('./values/cel/cel.ts'),
  regex: () => import('./values/regex.ts'),
  template: () => import('./values/template/template.ts'),
  jsonPatch: () => import('./values/json-patch.ts'),
};
type Libraries = { [Name in keyof typeof loaders]: Awaited<ReturnType<(typeof loaders)[Name]>> };

const NEEDS: Readonly<Record<string, readonly (keyof Libraries)[]>> = {
  CEL: ['cel'],
  ScalarToFields: ['regex', 'template'],
  FieldsToScalar: ['regex', 'template'],
  JSONPatch: ['jsonPatch'],
};

const loaded: Partial<Libraries> = {};

/** Loads what the rules use, nested rules included. Analysis awaits this once; all after it is synchronous. */
export async function loadLibraries(rules: readonly Json[]): Promise<void> {
  const names = new Set<keyof Libraries>();
  collect(rules, names);
  await Promise.all([...names].filter((name) => loaded[name] === undefined).map(load));
}

export function library<Name extends keyof Libraries>(name: Name): Libraries[Name] {
  const module = loaded[name];
  if (module === undefined) throw new Error(`the ${name} library is used before it was loaded`);
  return module as Libraries[Name];
}

async function load<Name extends keyof Libraries>(name: Name): Promise<void> {
  loaded[name] = (await loaders[name]()) as Libraries[Name];
}

function collect(rules: readonly Json[], names: Set<keyof Libraries>): void {
  for (const rule of rules) {
    if (!isObject(rule)) continue;
    const strategy = getOwn(rule, 'strategy');
    if (typeof strategy === 'string' && Object.hasOwn(NEEDS, strategy)) {
      for (const name of NEEDS[strategy] ?? []) names.add(name);
    }
    const block = getOwn(rule, 'forEach');
    const nested = isObject(block) ? getOwn(block, 'rules') : undefined;
    if (isArray(nested)) collect(nested, names);
  }
}
