import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../../lib/engine/json.ts';
import { parseJson, stringifyJson } from '../../../lib/k8s/json.ts';
import { send } from '../../support/http-client.ts';
import type { KubeClient } from './kube-client.ts';
import { waitFor } from './wait.ts';
import type { Running, Workbench } from './workbench.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** `npm start -- --tls` as a person starts it, in a process of its own. */
export interface Roundhouse {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** PEM, of the development CA. */
  readonly ca: string;
  /** File with certificate and key of the server, for a server that stands in for it. */
  readonly certifiedKeyFile: string;
  /** Path token of the endpoint `default`. */
  readonly pathToken: string;
  /** The body of a 2xx answer of the API; throws with the text of any other. `path` begins after `/api/v1`. */
  readonly api: (method: string, path: string, body?: unknown) => Promise<any>;
  readonly running: Running;
}

/** @param dataDir keeps the data, and so the CA and the path tokens, from one start to the next */
export async function startRoundhouse(workbench: Workbench, dataDir?: string): Promise<Roundhouse> {
  const folder = dataDir ?? workbench.folder('roundhouse-e2e-data-');
  const running = workbench.start(['npm', 'start', '--', '--tls', '--port', '0', '--data', folder], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  const read = (pattern: RegExp) => pattern.exec(running.output())?.[1];
  const last = /^List the configs:$/m;
  await waitFor('npm start', running, () => last.exec(running.output()) ?? undefined, 60_000);
  const url = read(/^Roundhouse runs at (\S+)/m) ?? '';
  const token = read(/^Bearer token: (\S+)/m);
  const ca = readFileSync(join(folder, 'private/ca.crt'), 'utf8');
  return {
    url,
    ca,
    certifiedKeyFile: join(folder, 'private/server.pem'),
    pathToken: read(/\/convert\/default\/([\w-]+)\//) ?? '',
    running,
    async api(method, path, body) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const text = body === undefined ? undefined : stringifyJson(body as Json);
      const reply = await send(`${url}/api/v1${path}`, {
        method,
        headers,
        ca,
        ...(text !== undefined && { body: text }),
      });
      if (reply.status > 299) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
      return reply.text === '' ? undefined : parseJson(reply.text);
    },
  };
}

export interface Target {
  readonly crd: any;
  readonly config: any;
}

/** Puts a config and its CRD into Roundhouse; gives the analysis as the API answers it. */
export function putConfig({ api }: Roundhouse, { crd, config }: Target): Promise<any> {
  return api('PUT', `/configs/${crd.metadata.name}`, { config, schema: crd });
}

/**
 * A config for Roundhouse, and its CRD for the apiserver with the patch that Roundhouse makes for it. The CRD is created
 * with its webhook in it: a CRD that is patched later goes on without for a moment that nothing announces.
 *
 * @param webhookUrl of a server that stands in for Roundhouse
 */
export async function createTarget(
  apiserver: KubeClient,
  roundhouse: Roundhouse,
  target: Target,
  webhookUrl = roundhouse.url,
): Promise<any> {
  const analysis = await putConfig(roundhouse, target);
  const name = target.crd.metadata.name;
  const patch = await roundhouse.api('GET', `/configs/${name}/patch?token=${roundhouse.pathToken}`);
  const { clientConfig } = patch.spec.conversion.webhook;
  clientConfig.url = clientConfig.url.replace(roundhouse.url, webhookUrl);
  const crd = { ...target.crd, spec: { ...target.crd.spec, ...patch.spec } };
  await apiserver.ask('POST', CRDS, { body: crd });
  await waitUntilServed(apiserver, roundhouse.running, crd);
  return analysis;
}

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * Waits until every served version can be listed. A list with a limit would not do: it is answered from etcd while lists
 * without one, and watches, are still refused because the watch cache is not filled.
 */
export async function waitUntilServed(apiserver: KubeClient, running: Running, { spec }: any): Promise<void> {
  for (const { name, served } of spec.versions) {
    if (!served) continue;
    const path = `/apis/${spec.group}/${name}/${spec.names.plural}`;
    await waitFor(path, running, async () => (await apiserver.call('GET', path)).status === 200 || undefined);
  }
}
