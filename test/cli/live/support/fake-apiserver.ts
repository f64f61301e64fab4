import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson, stringifyJson } from '../../../../lib/k8s/json.ts';
import { type FakeCall, type FakeReply, status } from './fake-http.ts';
import { type FakeObjects, openObjects } from './fake-objects.ts';

/** Answers instead of the server; undefined leaves the call to it, 'hang' never answers. */
type Intercept = (call: FakeCall) => FakeReply | 'hang' | undefined;

/** What `convctl` needs of an apiserver, over plain HTTP: definitions, discovery, and objects that are stored at a version. */
export interface FakeApiserver extends FakeObjects {
  readonly url: string;
  readonly calls: readonly FakeCall[];
  /** CRDs, XRDs and configs by the path of their collection and their name. */
  readonly put: (collection: string, resource: any) => void;
  readonly get: (collection: string, name: string) => any;
  readonly intercept: (intercept: Intercept) => void;
  /** A kubeconfig for it, with one context `fake`. */
  readonly kubeconfig: (token?: string) => string;
  readonly close: () => Promise<void>;
}

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const XRDS = '/apis/apiextensions.crossplane.io/v1/compositeresourcedefinitions';
const TOKEN = 'a-token-of-the-fake';
const CRD_GROUP = 'apiextensions.k8s.io';
/** As a real apiserver answers for an API group that it does not have. */
const NO_SUCH_GROUP: FakeReply = {
  status: 404,
  body: '404 page not found\n',
  headers: { 'content-type': 'text/plain; charset=utf-8' },
};
const groupOf = (path: string) => path.split('/')[2] ?? '';

export async function startFakeApiserver(): Promise<FakeApiserver> {
  const definitions = new Map<string, any>();
  const calls: FakeCall[] = [];
  let version = 100;
  const next = () => String(++version);
  let intercept: Intercept = () => undefined;
  const objects = openObjects(next, () => [...definitions.values()]);

  const answer = (call: FakeCall, token: string | undefined): FakeReply | 'hang' => {
    const early = intercept(call);
    if (early !== undefined) return early;
    if (token !== `Bearer ${TOKEN}`) return status(401, 'Unauthorized', 'Unauthorized');
    if (call.path === '/apis/apiextensions.crossplane.io') {
      const served = [...definitions.keys()].some((key) => key.startsWith(XRDS));
      if (!served) return NO_SUCH_GROUP;
      return { status: 200, body: { kind: 'APIGroup', versions: [{ version: 'v1' }] } };
    }
    return ofDefinition(call) ?? discover(call) ?? objects.answer(call);
  };

  const ofDefinition = ({ method, path, query, body, type }: FakeCall): FakeReply | undefined => {
    const [, key = '', sub] = /^(\/apis\/(?:apiextensions|terasky)[^?]*?)(\/status)?$/.exec(path) ?? [];
    if (key === '') return undefined;
    const found = definitions.get(key);
    const name = key.split('/').at(-1);
    const groups = [...definitions.keys()].map(groupOf);
    if (![CRD_GROUP, ...groups].includes(groupOf(key))) return NO_SUCH_GROUP;
    if (found === undefined) return status(404, 'NotFound', `"${name}" not found`);
    if (method === 'GET') return { status: 200, body: found };
    const wanted = body.metadata?.resourceVersion;
    if (wanted !== undefined && wanted !== found.metadata.resourceVersion) {
      return status(409, 'Conflict', 'the object has been modified; please apply your changes to the latest version');
    }
    const metadata = { ...found.metadata, resourceVersion: next() };
    if (sub !== undefined) {
      const after = { ...found, metadata, status: { ...found.status, ...body.status } };
      definitions.set(key, after);
      return { status: 200, body: after };
    }
    const owner = found.metadata.managedFields?.[0]?.manager;
    if (type?.includes('apply-patch') && owner !== undefined && query.get('force') !== 'true') {
      const message = `conflict with "${owner}": .spec.conversion.strategy`;
      const reply = status(409, 'Conflict', `Apply failed with 1 conflict: ${message}`);
      return { ...reply, body: { ...reply.body, details: { causes: [{ reason: 'FieldManagerConflict', message }] } } };
    }
    const after = { ...found, metadata, spec: { ...found.spec, conversion: body.spec.conversion } };
    if (!query.has('dryRun')) definitions.set(key, after);
    return { status: 200, body: after };
  };

  const discover = ({ path }: FakeCall): FakeReply | undefined => {
    const [, group, version] = /^\/apis\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    if (group === undefined) return undefined;
    const resources = [...definitions.values()]
      .filter(({ kind, spec }) => kind === 'CustomResourceDefinition' && spec.group === group)
      .map(({ spec }) => {
        const stored = spec.versions.find(({ storage }: any) => storage).name;
        const hash = createHash('sha256').update(`${group}/${stored}/${spec.names.kind}`).digest().subarray(0, 8);
        return { name: spec.names.plural, kind: spec.names.kind, storageVersionHash: hash.toString('base64') };
      });
    return { status: 200, body: { kind: 'APIResourceList', groupVersion: `${group}/${version}`, resources } };
  };

  const server = createServer((request, response) => void serve(request, response));
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '', 'http://fake');
    const text = Buffer.concat(chunks).toString();
    const call: FakeCall = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      body: text === '' ? undefined : parseJson(text),
      type: request.headers['content-type'],
      connection: request.socket.remotePort ?? 0,
    };
    calls.push(call);
    const reply = answer(call, request.headers.authorization);
    if (reply === 'hang') return;
    const body = typeof reply.body === 'string' ? reply.body : stringifyJson(reply.body);
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(body);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...objects,
    url,
    calls,
    put(collection, resource) {
      const { metadata } = resource;
      const stored = {
        ...resource,
        metadata: { uid: `uid-${metadata.name}`, generation: 1, ...metadata, resourceVersion: next() },
      };
      definitions.set(`${collection}/${metadata.name}`, stored);
    },
    get: (collection, name) => definitions.get(`${collection}/${name}`),
    intercept: (other) => {
      intercept = other;
    },
    kubeconfig: (token = TOKEN) => kubeconfigOf(url, token),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function kubeconfigOf(server: string, token: string, context = 'fake'): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: context, context: { cluster: 'c', user: 'u' } }],
    'current-context': context,
  });
}
