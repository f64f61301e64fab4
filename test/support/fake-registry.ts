import { randomBytes } from 'node:crypto';
import type { Registries, Registry, RegistryEntry } from '../../lib/configs/types.ts';
import { ConversionError } from '../../lib/engine/conversion-error.ts';
import type { JsonObject } from '../../lib/engine/json.ts';
import type { Router } from '../../lib/engine/route.ts';

const VERSIONS = ['v1', 'v2', 'v3'];

/** A router whose objects say what becomes of them: see the keys of `spec` that it reads. */
export function createScriptedRouter(hooks: { readonly onConvert?: () => void } = {}): Router {
  return {
    hub: 'v1',
    versions: VERSIONS,
    has: (version) => VERSIONS.includes(version),
    trace: () => [],
    lossless: (from, to) => from === to || to !== 'v3',
    convert(object, from, to) {
      if (from === to) return object;
      hooks.onConvert?.();
      const spec = object['spec'] as JsonObject;
      if (spec['crash']) throw new TypeError('canary in a crash');
      if (spec['notANumber']) return { ...object, spec: { n: Number.NaN } };
      if (spec['size'] === 'XL') {
        throw new ConversionError('value "XL" is not mapped', { rule: 7, strategy: 'EnumRemap', path: 'spec.size' });
      }
      const added: Record<string, string> = { convertedTo: to };
      if (typeof spec['stash'] === 'number') added['stash'] = '"'.repeat(spec['stash']);
      if (typeof spec['noise'] === 'number') added['noise'] = randomBytes(spec['noise']).toString('base64url');
      return { ...object, spec: { ...spec, ...added } };
    },
  };
}

export function createEntry(target: string, router = createScriptedRouter()): RegistryEntry {
  const group = target.slice(target.indexOf('.') + 1);
  return { target, group, kind: 'Widget', revision: 7, planHash: 'sha256:x', router, compiledAt: 0 };
}

interface FakeRegistry extends Registry {
  /** Every look-up, in order. */
  readonly lookups: { target: string; versions: readonly string[] }[];
}

/** @param broken targets whose plan does not load; `pending`: those whose plan was not read yet */
export function createFakeRegistry(
  entries: readonly RegistryEntry[],
  broken: readonly string[] = [],
  pending: readonly string[] = [],
): FakeRegistry {
  const byTarget = new Map(entries.map((entry) => [entry.target, entry]));
  const lookups: FakeRegistry['lookups'] = [];
  return {
    lookups,
    get: (target) => byTarget.get(target),
    async lookup(target, versions) {
      lookups.push({ target, versions });
      const entry = byTarget.get(target);
      const error = broken.includes(target) ? 'revision 1: does not compile' : undefined;
      const known = entry !== undefined || error !== undefined || pending.includes(target);
      return { known, settle: async () => {}, ...(entry && { entry }), ...(error && { error }) };
    },
    refresh: async () => {},
    compilePending: async () => {},
    snapshot: () => [
      ...entries.map(({ target }) => ({ target, ready: true, revision: 7, versions: VERSIONS })),
      ...broken.map((target) => ({
        target,
        ready: false,
        revision: 1,
        versions: [],
        lastError: 'revision 1: does not compile',
      })),
    ],
    size: entries.length,
    drain: () => ({ compiles: 0, loadFailures: [], compileDurations: [], looks: 0, lookFailures: 0 }),
  };
}

/** One endpoint with one token, in front of one registry. */
export function createFakeRegistries(registry: Registry, endpoint = 'eu', token = 's3cr3t'): Registries {
  const admits = (name: string, text: string) => name === endpoint && text === token;
  return {
    admits,
    open: async (name, text) => (admits(name, text) ? registry : undefined),
    all: async () => registry,
    warm: async () => {},
    ready: async () => {},
  };
}
