import type { JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { Target } from '../../k8s/target.ts';
import type { Cluster } from './client.ts';
import { type Crd, findCrd, identityOf, objectPath, objectsAsked, readCrd } from './definitions.ts';
import { listPages } from './list.ts';

export interface Selection {
  readonly namespace?: string | undefined;
  readonly selector?: string | undefined;
}

/** The flags that choose among the objects of a cluster. */
export const SELECTION_FLAGS = {
  namespace: {
    short: 'n',
    value: 'NAME',
    summary: 'with --live: only the objects there; without, those of all namespaces',
  },
  selector: { short: 'l', value: 'SELECTOR', summary: 'with --live: only objects with these labels' },
} as const;

/** An object of a cluster, named as reports name it. */
export interface LiveObject {
  /** `cluster:<namespace>/<name>`. */
  readonly name: string;
  readonly object: JsonObject;
}

/** The CRDs whose objects a target describes: its own, and that of the claims of an XRD where the cluster has it. */
export async function readTargetCrds(cluster: Cluster, { name, group, claim }: Target): Promise<Crd[]> {
  const crd = await readCrd(cluster, name);
  if (claim === undefined) return [crd];
  const claims = await findCrd(cluster, `${claim.plural}.${group}`);
  return claims === undefined ? [crd] : [crd, claims];
}

/** Objects of a CRD at a version, as the apiserver gives them, page by page. */
export async function* liveObjects(
  cluster: Cluster,
  crd: Crd,
  version: string,
  { namespace, selector }: Selection,
): AsyncGenerator<LiveObject, void> {
  const path = objectPath(crd, version, { namespace });
  const pages = listPages(cluster, objectsAsked(crd, 'list', { namespace }), path, { labelSelector: selector });
  for await (const page of pages) {
    for (const object of page) yield { name: liveName(object), object };
  }
}

/** Every object that a target describes. @throws AppError when there is none, or they cannot be listed */
export async function* liveSamples(
  cluster: Cluster,
  target: Target,
  version: string,
  selection: Selection,
): AsyncGenerator<LiveObject, void> {
  let found = 0;
  for (const crd of await readTargetCrds(cluster, target)) {
    for await (const sample of liveObjects(cluster, crd, version, selection)) {
      found += 1;
      yield sample;
    }
  }
  if (found > 0) return;
  const { namespace, selector } = selection;
  const where = namespace === undefined ? 'the cluster' : `namespace ${namespace}`;
  const which = selector === undefined ? '' : ` with the labels ${selector}`;
  throw new AppError('NOT_FOUND', `${where} has no ${target.kind} objects${which} (context ${cluster.context})`);
}

function liveName(object: JsonObject): string {
  const { namespace, name } = identityOf(object);
  return `cluster:${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
