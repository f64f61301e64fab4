import { type FakeCall, type FakeReply, status } from './fake-http.ts';

interface Stored {
  readonly body: any;
  /** The version that it was written at. */
  readonly at: string;
}

/** Custom objects; a conversion gives them another `apiVersion` and changes nothing else. */
export interface FakeObjects {
  /** @param at the version that it is stored at */
  readonly add: (object: any, at: string) => void;
  readonly storedAt: () => Record<string, string>;
  readonly touch: (name: string) => void;
  readonly remove: (name: string) => void;
  readonly metadataOf: (name: string) => any;
  /** Continue tokens are refused so many times; the answer has a new one in it, or none. */
  readonly expire: (times: number, options?: { readonly resumable: boolean }) => void;
  /** Names of objects whose conversion fails. */
  readonly broken: Set<string>;
  readonly answer: (call: FakeCall) => FakeReply;
}

export function openObjects(next: () => string, definitions: () => any[]): FakeObjects {
  const objects = new Map<string, Stored>();
  const broken = new Set<string>();
  let expiring = 0;
  let resumable = true;
  const nameOf = ({ metadata: { namespace = '', name } }: any) => `${namespace}/${name}`;
  const keyOf = (plural: string, body: any) => `${plural} ${nameOf(body)}`;

  const crdOf = (group: string, plural: string) =>
    definitions().find(({ kind, spec }) => {
      return kind === 'CustomResourceDefinition' && spec.group === group && spec.names.plural === plural;
    });
  const read = ({ body, at }: Stored, group: string, version: string) => {
    if (at !== version && broken.has(body.metadata.name)) return undefined;
    return { ...body, apiVersion: `${group}/${version}` };
  };
  const failed = (name: string) =>
    status(
      500,
      'InternalError',
      `conversion webhook failed: ${name}: rule 0 EnumRemap at spec.size: value "XL" is not mapped`,
    );
  const write = (name: string, change: (stored: Stored) => Stored | undefined) => {
    for (const [key, stored] of objects) {
      if (stored.body.metadata.name !== name) continue;
      const after = change(stored);
      if (after === undefined) objects.delete(key);
      else objects.set(key, after);
    }
  };

  const list = (
    { query }: FakeCall,
    of: { group: string; version: string; plural: string; namespace?: string | undefined },
  ) => {
    const token = query.get('continue');
    if (token && expiring > 0) {
      expiring -= 1;
      const message = 'The provided continue parameter is too old to display a consistent list result';
      return status(410, 'Expired', message, resumable ? { continue: `${token}+` } : {});
    }
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(`${of.plural} ${of.namespace === undefined ? '' : `${of.namespace}/`}`))
      .sort();
    const from = token ? Number(token.replaceAll('+', '')) : 0;
    const limit = Number(query.get('limit') ?? keys.length);
    const items = [];
    for (const key of keys.slice(from, from + limit)) {
      const item = read(objects.get(key) as Stored, of.group, of.version);
      if (item === undefined) return failed(key);
      items.push(item);
    }
    const rest = from + limit < keys.length ? { continue: String(from + limit) } : {};
    return { status: 200, body: { kind: 'List', metadata: { resourceVersion: '1', ...rest }, items } };
  };

  return {
    broken,
    add(object, at) {
      const [group, , plural] = [object.apiVersion.split('/')[0], '', pluralOf(definitions(), object.kind)];
      const metadata = { uid: `uid-${nameOf(object)}`, ...object.metadata, resourceVersion: next() };
      objects.set(keyOf(plural, object), { body: { ...object, apiVersion: `${group}/${at}`, metadata }, at });
    },
    storedAt: () => Object.fromEntries([...objects.values()].map(({ body, at }) => [body.metadata.name, at])),
    touch: (name) =>
      write(name, ({ body, at }) => ({
        body: { ...body, metadata: { ...body.metadata, resourceVersion: next() } },
        at,
      })),
    remove: (name) => write(name, () => undefined),
    metadataOf: (name) => [...objects.values()].find(({ body }) => body.metadata.name === name)?.body.metadata,
    expire(times, options = { resumable: true }) {
      expiring = times;
      ({ resumable } = options);
    },
    answer(call) {
      const pattern = /^\/apis\/([^/]+)\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/;
      const [, group = '', version = '', namespace, plural = '', name] = pattern.exec(call.path) ?? [];
      const crd = crdOf(group, plural);
      if (crd === undefined) return status(404, 'NotFound', 'the server could not find the requested resource');
      if (name === undefined) return list(call, { group, version, plural, namespace });
      const key = `${plural} ${namespace ?? ''}/${name}`;
      const stored = objects.get(key);
      if (stored === undefined) return status(404, 'NotFound', `${plural}.${group} "${name}" not found`);
      const current = read(stored, group, version);
      if (current === undefined) return failed(name);
      if (call.method === 'GET') return { status: 200, body: current };
      if (call.body.metadata.resourceVersion !== stored.body.metadata.resourceVersion) {
        return status(409, 'Conflict', 'the object has been modified');
      }
      const storage = crd.spec.versions.find((each: any) => each.storage).name;
      if (call.query.has('dryRun') || stored.at === storage) return { status: 200, body: current };
      const metadata = { ...stored.body.metadata, resourceVersion: next() };
      objects.set(key, { body: { ...call.body, metadata }, at: storage });
      return { status: 200, body: { ...call.body, metadata } };
    },
  };
}

function pluralOf(definitions: any[], kind: string): string {
  return definitions.find(({ spec }) => spec.names?.kind === kind)?.spec.names.plural;
}
