import { ConversionError } from '../../engine/conversion-error.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import type { Router } from '../../engine/route.ts';
import { createRun } from '../../engine/run.ts';
import type { Target } from '../../k8s/target.ts';
import type { Cluster } from './client.ts';
import { conversionOf } from './conversion-block.ts';
import { at, type Crd, type Definition, readDefinition } from './definitions.ts';
import { enumRules } from './enum-values.ts';
import { liveObjects, readTargetCrds, type Selection } from './live-objects.ts';
import { schemaDrift } from './schema-drift.ts';
import { compareCrds } from './wire.ts';

/** Something that is seen in several objects; one of them is named. */
export interface Seen {
  readonly objects: number;
  readonly example: string;
}

export interface LiveFinding {
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** The part of `analyze --live -o json` that comes from the cluster. */
export interface LiveReport {
  readonly context: string;
  readonly server: string;
  readonly objects: number;
  readonly crds: readonly {
    readonly crd: string;
    readonly objects: number;
    readonly storedVersions: readonly string[];
  }[];
  /** About the definitions. */
  readonly findings: readonly LiveFinding[];
  /** Versions in managedFields that no spoke converts: server-side apply of these objects fails (R26). */
  readonly managedFieldsWithoutPlan: readonly (Seen & {
    readonly version: string;
    readonly managers: readonly string[];
  })[];
  /** Values that an EnumRemap rule does not name (R49). */
  readonly unmappedValues: readonly (Seen & {
    readonly spoke: string;
    readonly rule: string;
    readonly path: string;
    readonly value: Json;
    readonly policy: string;
  })[];
  /** Objects that some version cannot be made of. */
  readonly failures: readonly { readonly object: string; readonly to: string; readonly error: string }[];
  readonly roundTripMs: number;
  readonly versions: readonly VersionCost[];
}

/** What filling the apiserver's watch cache of a version takes: one call of the webhook after the other. */
export interface VersionCost {
  readonly version: string;
  readonly converts: number;
  /** Objects may be stored at several versions, and nothing tells at which each is. */
  readonly atMost: boolean;
  readonly refillSeconds: number;
}

export interface LiveInput {
  readonly target: Target;
  readonly router: Router;
  readonly spokes: readonly { readonly version: string; readonly rules: readonly Json[] }[];
}

interface LiveOptions extends Selection {
  readonly roundTripMs: number;
  readonly progress: (objects: number) => void;
}

/** Looks at every object of a target in a cluster. @throws AppError when the cluster cannot be asked */
export async function analyseLive(cluster: Cluster, input: LiveInput, options: LiveOptions): Promise<LiveReport> {
  const { target, router } = input;
  const definition = await readDefinition(cluster, target.source, target.name);
  const crds = await readTargetCrds(cluster, target);
  const watch = watchObjects(input, definition);
  const counted: { crd: Crd; objects: number }[] = [];
  for (const crd of crds) {
    let objects = 0;
    for await (const { name, object } of liveObjects(cluster, crd, router.hub, options)) {
      watch.look(name, object);
      options.progress(++objects);
    }
    counted.push({ crd, objects });
  }
  return {
    context: cluster.context,
    server: cluster.server,
    objects: counted.reduce((sum, { objects }) => sum + objects, 0),
    crds: counted.map(({ crd, objects }) => ({ crd: crd.name, objects, storedVersions: crd.storedVersions })),
    findings: await judgeDefinition(cluster, definition, target),
    ...watch.found(),
    roundTripMs: options.roundTripMs,
    versions: costs(definition, counted, options.roundTripMs),
  };
}

/** Whether a report holds an error. */
export function hasLiveErrors({ findings, managedFieldsWithoutPlan, unmappedValues, failures }: LiveReport): boolean {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const unmapped = unmappedValues.filter(({ policy }) => policy === 'Error');
  return errors.length + managedFieldsWithoutPlan.length + unmapped.length + failures.length > 0;
}

function watchObjects({ target, router, spokes }: LiveInput, definition: Definition) {
  const rules = enumRules(spokes);
  const served = definition.target.versions.filter((version) => version.served).map(({ name }) => name);
  const managed = new Map<string, { objects: number; example: string; managers: Set<string> }>();
  const values = new Map<string, { objects: number; example: string; rule: (typeof rules)[number]; value: Json }>();
  const failures: { object: string; to: string; error: string }[] = [];
  return {
    look(name: string, object: JsonObject): void {
      const owners = ownersOf(object, target.group);
      for (const [version, managers] of owners) {
        if (router.has(version)) continue;
        const seen = managed.get(version) ?? { objects: 0, example: name, managers: new Set<string>() };
        managed.set(version, { ...seen, objects: seen.objects + 1 });
        for (const manager of managers) seen.managers.add(manager);
      }
      for (const rule of rules) {
        for (const value of new Set(rule.unmapped(object))) {
          const key = `${rule.spoke} ${rule.rule} ${typeof value} ${String(value)}`;
          const seen = values.get(key) ?? { objects: 0, example: name, rule, value };
          values.set(key, { ...seen, objects: seen.objects + 1 });
        }
      }
      // Server-side apply also makes the versions of managedFields.
      const wanted = new Set(
        [...served, ...owners.keys()].filter((version) => version !== router.hub && router.has(version)),
      );
      for (const to of wanted) {
        const error = failureOf(router, object, to);
        if (error !== undefined) failures.push({ object: name, to, error });
      }
    },
    found: () => ({
      managedFieldsWithoutPlan: [...managed].map(([version, { managers, ...seen }]) => {
        return { version, ...seen, managers: [...managers].sort() };
      }),
      unmappedValues: [...values.values()].map(({ rule: { unmapped: _, ...rule }, value, ...seen }) => {
        return { ...rule, value, ...seen };
      }),
      failures,
    }),
  };
}

/** Versions of the group in managedFields, and who used them. */
function ownersOf({ metadata }: JsonObject, group: string): Map<string, Set<string>> {
  const entries = isObject(metadata) ? metadata['managedFields'] : undefined;
  const owners = new Map<string, Set<string>>();
  for (const entry of isArray(entries) ? entries : []) {
    const [found, version = ''] = String(at(entry, 'apiVersion')).split('/');
    if (found !== group) continue;
    const managers = owners.get(version) ?? new Set();
    owners.set(version, managers.add(String(at(entry, 'manager'))));
  }
  return owners;
}

function failureOf(router: Router, object: JsonObject, to: string): string | undefined {
  try {
    router.convert(object, router.hub, to, createRun('review'));
    return undefined;
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return error.message;
  }
}

async function judgeDefinition(cluster: Cluster, definition: Definition, analysed: Target): Promise<LiveFinding[]> {
  const { source, name, body, target } = definition;
  const found: LiveFinding[] = schemaDrift(analysed, target).map((difference) => {
    return { severity: 'error', message: `${name} is not as it was analysed: ${difference}` };
  });
  const served = target.versions.filter((version) => version.served);
  if (conversionOf(body).strategy === 'None' && served.length > 1) {
    found.push({
      severity: 'warning',
      message: `${name} serves ${served.length} versions and asks no webhook: wire it`,
    });
  }
  if (source === 'CRD') return found;
  for (const { name: crd, differences = [] } of await compareCrds(cluster, definition)) {
    for (const difference of differences) {
      found.push({ severity: 'error', message: `CRD ${crd} does not have the conversion of the XRD: ${difference}` });
    }
  }
  const owners = at(body, 'metadata', 'ownerReferences');
  for (const owner of isArray(owners) ? owners : []) {
    if (at(owner, 'kind') !== 'ConfigurationRevision') continue;
    const message = `${name} belongs to the package revision ${at(owner, 'name')}, whose next apply takes spec.conversion away: put it into the package`;
    found.push({ severity: 'warning', message });
  }
  return found;
}

function costs(
  { target }: Definition,
  counted: readonly { crd: Crd; objects: number }[],
  roundTripMs: number,
): VersionCost[] {
  const served = target.versions.filter((version) => version.served);
  return served.map(({ name: version }) => {
    let [converts, atMost] = [0, false];
    for (const { crd, objects } of counted) {
      const others = crd.storedVersions.filter((stored) => stored !== crd.storage);
      if (version === crd.storage && others.length === 0) continue;
      converts += objects;
      atMost ||= objects > 0 && others.length > 0;
    }
    return { version, converts, atMost, refillSeconds: (converts * roundTripMs) / 1000 };
  });
}
