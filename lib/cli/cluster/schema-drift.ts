import { changedPaths } from '../../configs/diff-paths.ts';
import { reduceSchema } from '../../configs/reduce-schema.ts';
import type { Target } from '../../k8s/target.ts';

/** What in the versions of a cluster's CRD or XRD is not as it was analysed; prose does not count. */
export function schemaDrift(analysed: Target, cluster: Target): string[] {
  const names = new Set([...analysed.versions, ...cluster.versions].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const wanted = analysed.versions.find((version) => version.name === name);
    const found = cluster.versions.find((version) => version.name === name);
    if (wanted === undefined) return [`the cluster has a version ${name} beside them`];
    if (found === undefined) return [`the cluster has no version ${name}`];
    const flags = (['served', 'storage'] as const)
      .filter((flag) => wanted[flag] !== found[flag])
      .map(
        (flag) => `${name} is ${found[flag] ? '' : 'not '}${flag === 'served' ? 'served' : 'stored'} in the cluster`,
      );
    const paths = changedPaths(reduceSchema(wanted.schema ?? {}), reduceSchema(found.schema ?? {}));
    return [...flags, ...paths.map((path) => `${name}: ${path} differs`)];
  });
}
