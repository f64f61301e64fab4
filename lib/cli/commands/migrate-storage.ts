import { CLUSTER_FLAGS, openCluster } from '../cluster/client.ts';
import { migrateStorage, parseCount, renderMigration } from '../cluster/migrate-storage.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { printJson } from '../output/json.ts';
import { startProgress } from '../output/progress.ts';

export const migrateStorageCommand = defineCommand({
  name: 'migrate-storage',
  group: 'Cluster',
  summary: 'rewrite every stored object at the storage version, and prove it',
  description:
    'Each object is read and put back unchanged, which makes the apiserver write it at the storage version. Then all ' +
    'are listed and put again, until a round changes none of them: status.storedVersions of the CRD is pruned only ' +
    'after such a round, when nothing failed and the CRD is as it was at the start. All apiservers of the cluster must ' +
    'be of one mind: do not run it while the control plane is upgraded. Of an XRD with claims both CRDs are migrated.',
  flags: {
    xrd: { short: 'x', value: 'NAME', summary: 'the CompositeResourceDefinition, by its name in the cluster' },
    crd: { value: 'NAME', summary: 'the CustomResourceDefinition, by its name in the cluster' },
    ...CLUSTER_FLAGS,
    namespace: { short: 'n', value: 'NAME', summary: 'only the objects there; nothing can be pruned then' },
    dryRun: { summary: 'let the apiserver check every write and keep nothing' },
    concurrency: { value: 'N', default: '1', summary: 'how many objects to rewrite at the same time' },
    fieldManager: { value: 'NAME', default: 'convctl', summary: 'who writes, in the words of the apiserver' },
    pruneStoredVersions: { summary: 'remove the old versions from status.storedVersions of the CRD at the end' },
    output: { short: 'o', value: 'FORMAT', default: 'table', choices: ['table', 'json'], summary: 'how to print' },
    quiet: { summary: 'show no progress' },
  },
  oneOf: [{ flags: ['xrd', 'crd'], required: true }],
  examples: [
    { what: 'What would happen', command: 'migrate-storage --crd widgets.example.org --dry-run' },
    {
      what: 'Rewrite all, then remove the old versions from the CRD',
      command: 'migrate-storage --crd widgets.example.org --prune-stored-versions',
    },
  ],
  async run({ flags }, io) {
    const concurrency = parseCount(flags.concurrency, '--concurrency');
    const cluster = await openCluster(flags, io);
    const progress = startProgress(io, flags.quiet);
    const show = (done: number, total: number) => progress.show(`rewritten ${done} of ${total} objects`);
    const of = flags.xrd === undefined ? { source: 'CRD' as const, name: flags.crd ?? '' } : undefined;
    const report = await migrateStorage(cluster, of ?? { source: 'XRD', name: flags.xrd ?? '' }, {
      dryRun: flags.dryRun,
      concurrency,
      fieldManager: flags.fieldManager,
      namespace: flags.namespace,
      prune: flags.pruneStoredVersions,
      progress: show,
    }).finally(progress.end);
    if (flags.output === 'json') printJson(io, report);
    else renderMigration(report, io);
    const all = [report, ...(report.claims ? [report.claims] : [])];
    return all.some(({ failed, pruneError, error }) => failed > 0 || pruneError || error) ? EXIT.finding : EXIT.ok;
  },
});
