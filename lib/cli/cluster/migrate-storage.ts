import { AppError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/style.ts';
import { renderTable } from '../output/table.ts';
import type { Cluster } from './client.ts';
import { type Crd, crdNames, readCrd, readDefinition, type Source } from './definitions.ts';
import { type MigratedObject, type MigrateOptions, type Migration, migrate } from './migrate.ts';

/** The JSON of `migrate-storage`, with the keys of the Go tool. */
export interface MigrationReport {
  readonly resourceKind: Source;
  readonly resource: string;
  readonly crd: string;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly storageVersion: string;
  readonly storedVersions: readonly string[];
  readonly namespaced: boolean;
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly objects: readonly MigratedObject[];
  readonly succeeded: number;
  readonly failed: number;
  readonly rewritten: number;
  readonly proved: boolean;
  readonly pruned: boolean;
  readonly pruneError?: string;
  /** Why the objects could not be migrated at all, of one CRD of an XRD. */
  readonly error?: string;
  readonly warnings?: readonly string[];
  /** The same for the CRD of an XRD's claims. */
  readonly claims?: MigrationReport;
}

/** @throws AppError when the CRD or its objects cannot be read; what happens to single objects is in the report */
export async function migrateStorage(
  cluster: Cluster,
  { source, name }: { readonly source: Source; readonly name: string },
  options: MigrateOptions,
): Promise<MigrationReport> {
  const definition = await readDefinition(cluster, source, name);
  // All are read and checked before the first write.
  const crds: Crd[] = [];
  for (const crd of crdNames(definition)) crds.push(await readCrd(cluster, crd));
  const scoped = crds.some(({ namespaced }) => namespaced) ? options.namespace : undefined;
  if (options.prune && scoped !== undefined) {
    const reason = 'objects of the other namespaces may still be stored at an old version';
    throw new AppError('BAD_REQUEST', `--prune-stored-versions cannot be used with --namespace: ${reason}`);
  }
  const referenceable = definition.target.versions.find(({ storage }) => storage)?.name;
  const reports: MigrationReport[] = [];
  for (const crd of crds) {
    const warnings = [];
    if (referenceable !== crd.storage) {
      warnings.push(`the XRD makes ${referenceable} referenceable, the CRD stores ${crd.storage}: the CRD counts`);
    }
    const whole = options.namespace !== undefined && !crd.namespaced;
    if (whole) warnings.push(`${crd.name} is cluster-scoped: --namespace means nothing, all objects are rewritten`);
    const scope = whole ? { ...options, namespace: undefined } : options;
    const done = await migrate(cluster, crd, scope).catch((error: unknown) => {
      // Of two CRDs the other one may be done: the report must say so.
      if (!(error instanceof AppError) || crds.length === 1) throw error;
      return { objects: [], rewritten: 0, proved: false, pruned: false, warnings: [], error: error.message };
    });
    reports.push(reportOf(definition, crd, { ...done, warnings: [...warnings, ...done.warnings] }, options));
  }
  const [report, claims] = reports as [MigrationReport, MigrationReport?];
  return claims === undefined ? report : { ...report, claims };
}

function reportOf(
  { source, name }: { readonly source: Source; readonly name: string },
  crd: Crd,
  { warnings, ...done }: Migration & Pick<MigrationReport, 'error'>,
  { dryRun, fieldManager }: MigrateOptions,
): MigrationReport {
  const { group, kind, plural } = crd.target;
  const failed = done.objects.filter(({ error }) => error !== undefined).length;
  return {
    ...{ resourceKind: source, resource: name, crd: crd.name, group, kind, plural },
    storageVersion: crd.storage,
    storedVersions: crd.storedVersions,
    namespaced: crd.namespaced,
    ...{ dryRun, fieldManager },
    ...done,
    ...{ succeeded: done.objects.length - failed, failed },
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Prints a report for people: data on stdout, warnings on stderr. */
export function renderMigration(report: MigrationReport, io: Io): void {
  const { crd, storageVersion, storedVersions, objects, succeeded, failed, rewritten, dryRun, pruned, error } = report;
  io.out(`${crd}: stores ${storageVersion}, storedVersions ${storedVersions.join(', ')}\n`);
  if (error !== undefined) io.out(`  ${paint(io, 'red', 'not migrated')}: ${printable(error)}\n`);
  else if (objects.length === 0) io.out(`  ${storedVersions.length > 1 ? 'there are no objects' : 'nothing to do'}\n`);
  else {
    const done = dryRun
      ? `${succeeded} could be written`
      : `${rewritten} rewritten, ${succeeded - rewritten} stored at ${storageVersion} already`;
    const broken = failed === 0 ? '0 failed' : paint(io, 'red', `${failed} failed`);
    io.out(`  ${objects.length} objects: ${done}, ${broken}\n`);
  }
  if (failed > 0) {
    const broken = objects.filter(({ error }) => error !== undefined);
    const rows = broken.map(({ namespace, name, error = '' }) => [namespace ? `${namespace}/${name}` : name, error]);
    io.out(renderTable([['OBJECT', 'ERROR'], ...rows]));
  }
  if (pruned) io.out(`  ${paint(io, 'green', 'pruned')}: storedVersions is now ${storageVersion}\n`);
  if (report.pruneError) io.out(`  ${paint(io, 'red', 'not pruned')}: ${printable(report.pruneError)}\n`);
  for (const warning of report.warnings ?? []) io.err(`warning: ${warning}\n`);
  if (report.claims) renderMigration(report.claims, io);
}

/** @throws AppError naming the flag */
export function parseCount(text: string, flag: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 100) return count;
  throw new AppError('BAD_REQUEST', `${flag} is "${text}": write a number from 1 to 100`);
}
