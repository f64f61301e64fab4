import { expect } from 'vitest';
import type { KubeClient, KubeReply } from './kube-client.ts';

/** What people write of an object, and what a conversion changes. */
export interface View {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: any;
  readonly status?: any;
}

/** The objects of a kind in one namespace. */
export interface Objects {
  /** Of an object; of all of them without a name. */
  readonly path: (version: string, name?: string) => string;
  readonly object: (version: string, name: string, view: View) => any;
}

export function objectsOf({ spec: { group, names } }: any, namespace = 'default'): Objects {
  return {
    path: (version, name) =>
      `/apis/${group}/${version}/namespaces/${namespace}/${names.plural}${name === undefined ? '' : `/${name}`}`,
    object: (version, name, { labels, annotations, ...rest }) => ({
      apiVersion: `${group}/${version}`,
      kind: names.kind,
      metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
      ...rest,
    }),
  };
}

export function viewOf({ metadata: { labels, annotations }, spec, status }: any): View {
  return {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(spec && { spec }),
    ...(status && { status }),
  };
}

/**
 * All objects of a path, from the watch cache of its version. The server answers 429 while that fills, after a CRD has
 * come or changed, except to lists with a limit: those it reads from etcd.
 */
export async function listAll({ call }: KubeClient, path: string): Promise<any> {
  let reply: KubeReply | undefined;
  const list = async () => {
    reply = await call('GET', path);
    return reply.status;
  };
  await expect.poll(list, { timeout: 30_000 }).toBe(200);
  return reply?.body;
}
