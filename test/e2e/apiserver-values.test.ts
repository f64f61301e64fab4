import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '../../lib/k8s/json.ts';
import { GROUP } from '../bench/scalegen/slots.ts';
import { canonical } from '../property/support/inspect.ts';
import { HOSTILE_KEYS } from '../property/support/json-arbitraries.ts';
import { APISERVER_TOOLS, startApiserver } from './support/apiserver.ts';
import { MERGE_PATCH } from './support/kube-client.ts';
import { type AskRaw, rawClient, readRaw } from './support/raw-json.ts';
import { RECKONINGS, reckoning, reckoningTarget } from './support/reckonings.ts';
import { createTarget, startRoundhouse } from './support/roundhouse.ts';
import {
  type Fields,
  looseTarget,
  type Sort,
  specimen,
  specimenTarget,
  stashTarget,
  type Version,
} from './support/specimens.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

const VERSIONS: readonly Version[] = ['v1', 'v2'];
const MAX_INT64 = '9223372036854775807';
/** Everything that a careless copy changes, as JSON text. */
const KEPT = `{"n":[${MAX_INT64},9007199254740993,0.1,5e-324,0],"e":[null,"",[],{},false],"__proto__":{"":"\\u2028🙂"}}`;
const runs = canRun('apiserver', APISERVER_TOOLS);

describe.runIf(runs)('a value that is sent at one version and read at the other', () => {
  let workbench: Workbench;
  let ask: AskRaw;
  let count = 0;

  beforeAll(async () => {
    workbench = openWorkbench();
    const [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
    ask = rawClient(apiserver);
    const targets = [specimenTarget(), reckoningTarget(), looseTarget(), stashTarget(parseJson(KEPT))];
    for (const target of targets) await createTarget(apiserver, roundhouse, target);
  });

  afterAll(() => workbench.close());

  const path = (version: Version, kind: string, name = '') =>
    `/apis/${GROUP}/${version}/namespaces/default/${kind.toLowerCase()}s/${name}`;

  /** Creates an object whose fields beside `metadata` are JSON text; gives its name. */
  async function create(version: Version, fields: string, kind = 'Specimen', metadata = ''): Promise<string> {
    count += 1;
    const name = `s-${count}`;
    const head = `"apiVersion":"${GROUP}/${version}","kind":"${kind}","metadata":{"name":"${name}"${metadata}}`;
    await ask('POST', path(version, kind), `{${head}${fields && `,${fields}`}}`);
    return name;
  }

  /** Creates an object at each version, reads it at both, writes it back at the other one, and reads again. */
  async function travel(fields: Fields, { kind = 'Specimen', expected = fields, metadata = '' } = {}): Promise<void> {
    for (const from of VERSIONS) {
      const name = await create(from, fields(from), kind, metadata);
      await expectFields(kind, name, expected);
      const other = path(from === 'v1' ? 'v2' : 'v1', kind, name);
      await ask('PUT', other, await ask('GET', other));
      await expectFields(kind, name, expected);
    }
  }

  const read = async (version: Version, kind: string, name: string) =>
    readRaw(await ask('GET', path(version, kind, name)));

  async function expectFields(kind: string, name: string, fields: Fields): Promise<void> {
    const metadata = new Set<string>();
    for (const version of VERSIONS) {
      const { apiVersion, kind: _kind, metadata: ownMetadata, ...rest } = await read(version, kind, name);
      expect(apiVersion).toBe(`${GROUP}/${version}`);
      expect(canonical(rest)).toBe(canonical(readRaw(`{${fields(version)}}`)));
      metadata.add(canonical(ownMetadata));
    }
    expect(metadata.size, 'metadata is the same at both versions').toBe(1);
  }

  describe.each<Sort>(['integer', 'number', 'intOrString', 'anything'])(
    'an integer in a field of the sort %s',
    (sort) => {
      const wrap = (text: string) => (sort === 'anything' ? `{"x":${text}}` : text);

      test.each([
        '0',
        '-1',
        '9007199254740991',
        '9007199254740992',
        '9007199254740993',
        '-9007199254740993',
        MAX_INT64,
        '-9223372036854775808',
      ])('keeps every digit of %s', (text) => travel(specimen(sort, wrap(text))));
    },
  );

  /** What the server makes of a value that no conversion has touched: stored and read at one version. */
  async function ownReading(text: string): Promise<string> {
    const name = await create('v2', `"spec":{"open":{"x":${text}}}`);
    return canonical((await read('v2', 'Specimen', name)).spec.open.x);
  }

  describe.each<Sort>(['number', 'anything'])('a number in a field of the sort %s', (sort) => {
    const wrap = (text: string) => specimen(sort, sort === 'anything' ? `{"x":${text}}` : text);

    test.each([
      '0.1',
      '1e-7',
      '1.5',
      '1.50e1',
      '1E2',
      '1e18',
      '1e20',
      '1e21',
      '-123456789.123456789',
      '5e-324',
      '1.7976931348623157e308',
      '9007199254740993.0',
      // Beyond int64 the server itself has doubles.
      '18446744073709551615',
    ])('%s is what the server makes of it without a conversion', async (text) => {
      const own = await ownReading(text);
      expect(Number(own)).toBe(Number(text));
      await travel(wrap(text), { expected: wrap(own) });
    });
  });

  test.each<[Sort, string]>([
    ['text', '""'],
    ['list', '[]'],
    ['list', '[""]'],
    ['object', '{}'],
    ['object', '{"field":""}'],
    ['map', '{}'],
    ['map', '{"k":""}'],
    ['flag', 'false'],
    ['integer', '0'],
    ['number', '0'],
    ['intOrString', '0'],
    ['intOrString', '""'],
    ['anything', '{}'],
    ['anything', '{"a":{},"b":[],"c":"","d":0,"e":false,"f":null,"g":[{}],"h":[[]],"i":[null]}'],
  ])('an empty %s %s stays what it is', (sort, text) => travel(specimen(sort, text)));

  test.each<[string, string]>([
    ['spec', ''],
    ['every field of spec', '"spec":{}'],
    ['every field of a container', '"spec":{"text":{},"object":{},"open":{},"list":{"rows":[]},"map":{"rows":[{}]}}'],
  ])('%s that is absent stays so', (_what, text) => travel(() => text));

  test.each<Sort>([
    'integer',
    'number',
    'text',
    'flag',
    'list',
    'object',
    'map',
    'intOrString',
    'embedded',
    'anything',
  ])('a null in nullable fields of the sort %s stays null', (sort) => travel(specimen(sort, 'null')));

  describe('text', () => {
    const CONTROLS = String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code), 127, 128, 159);

    test.each([
      ['with control characters, NUL among them', CONTROLS],
      ['with line and paragraph separators', 'a\u2028b\u2029c\u0085d'],
      ['with what HTML and JSON escape', `<a href="x">&amp;'\\/\\u0041</a>`],
      ['with a byte order mark and a noncharacter', '\ufeffa\ufeff\uffff\ufffe'],
      ['with a zero-width joiner and astral characters', '👩‍🚀 𐍈 \u{10ffff}'],
      ['in two normal forms', 'é e\u0301 ﬁ'],
      ['from right to left', 'שלום \u202eabc\u202c'],
      ['that looks like another type', '9007199254740993'],
      ['of spaces', ' \t\n '],
      ['that is long', 'long ✓ '.repeat(3_000)],
    ])('%s arrives whole', (_what, text) => travel(specimen('text', JSON.stringify(text))));

    test('with half a surrogate pair is what the server makes of it without a conversion', async () => {
      const sent = String.raw`"a\ud800b"`;
      await travel(specimen('text', sent), { expected: specimen('text', await ownReading(sent)) });
    });
  });

  test.each(['80', '"80"', '"http"', '"25%"', '-1', MAX_INT64])('the int-or-string %s keeps its type', (text) =>
    travel(specimen('intOrString', text)),
  );

  test('an embedded resource arrives with fields of its own', async () => {
    const metadata = '{"name":"inner","labels":{"a.b/c":"d"},"annotations":{"n":"9007199254740993"}}';
    const spec = `{"big":${MAX_INT64},"half":0.5,"none":null,"empty":{},"list":[[]],"__proto__":{"x":1}}`;
    await travel(specimen('embedded', `{"apiVersion":"v1","kind":"Pod","metadata":${metadata},"spec":${spec}}`));
  });

  describe('keys', () => {
    const keys = [...HOSTILE_KEYS, 'a:b', ' ', '"\\', '\u2028', '\u0000', 'k'.repeat(5_000), 'apiVersion', 'metadata'];

    test.each<Sort>(['map', 'anything'])('of every kind stay in a %s', async (sort) => {
      const entries = keys.map((key, index) => `${JSON.stringify(key)}:"${index}"`);
      await travel(specimen(sort, `{${entries}}`));
    });

    test('of every kind hold what they hold', async () => {
      const entries = keys.map((key) => `${JSON.stringify(key)}:{"__proto__":[${MAX_INT64},null,{"":{}}]}`);
      await travel(specimen('anything', `{${entries}}`));
    });
  });

  const reckonings = Object.entries(RECKONINGS).flatMap(([field, { pairs }]) =>
    pairs.map(([spoke, hub]) => ({ field, spoke, hub })),
  );

  test.each(reckonings)('$field: $spoke at the spoke is $hub at the hub', ({ field, spoke, hub }) =>
    travel(reckoning(field, [spoke, hub]), { kind: 'Reckoning' }),
  );

  test('a rule writes a value of its config digit for digit', () =>
    travel((version) => (version === 'v1' ? '"spec":{"note":""}' : `"spec":{"note":"","fixed":${KEPT}}`), {
      kind: 'Stash',
    }));

  test('a field that waits in an annotation comes back as it was, after a change at the other version', async () => {
    const name = await create('v2', `"spec":{"fixed":${KEPT},"kept":${KEPT}}`, 'Stash');
    const { annotations } = (await read('v1', 'Stash', name)).metadata;
    expect(canonical(readRaw(annotations['example.org/kept']))).toBe(canonical(readRaw(KEPT)));
    await ask('PATCH', path('v1', 'Stash', name), '{"spec":{"note":"changed"}}', MERGE_PATCH);
    const { spec, metadata } = await read('v2', 'Stash', name);
    expect(canonical(spec)).toBe(canonical(readRaw(`{"note":"changed","fixed":${KEPT},"kept":${KEPT}}`)));
    expect(metadata).not.toHaveProperty('annotations');
  });

  test('fields that no schema knows stay, also beside those that a rule moves and in the items that it walks', () =>
    travel(
      (version) => {
        const [own, size] = version === 'v1' ? ['before', 'length'] : ['after', 'size'];
        const items = `{"${size}":"1","x":${KEPT}},${KEPT},{"${size}":""},{}`;
        return `"spec":{"${own}":"a","volumes":[${items}],"x":${KEPT},"__proto__":${KEPT}},"status":${KEPT}`;
      },
      { kind: 'Loose' },
    ));

  test('labels and annotations arrive as they are', async () => {
    const annotations = JSON.stringify({ 'a.b/c': KEPT, n: '9007199254740993', empty: '', control: '\u0000\u2028' });
    const labels = '{"example.org/a.b_c":"","n":"9007199254740993"}';
    const metadata = `,"labels":${labels},"annotations":${annotations}`;
    await travel(specimen('flag', 'true'), { metadata });
    const { metadata: found } = await read('v1', 'Specimen', `s-${count}`);
    expect(found).toMatchObject({ labels: JSON.parse(labels), annotations: JSON.parse(annotations) });
  });

  describe('an object of 1 MB', () => {
    const LINE = '€ "1" \\ \u2028\n';
    const items = (length: number, more: string) =>
      Array.from({ length }, (_, index) => {
        const big = 9007199254740993n + BigInt(index);
        return `{"i":${index},"big":${big},"kept":${KEPT},"more":${JSON.stringify(more)}}`;
      });

    test.each([
      ['in one string', LINE.repeat(53_000), items(800, '')],
      ['in 1,200 items', '', items(1_200, LINE.repeat(45))],
    ])('%s arrives value for value', async (_what, text, list) => {
      const fields: Fields = (version) => {
        const [own, ownOpen] = version === 'v1' ? ['before', 'openBefore'] : ['after', 'openAfter'];
        return `"spec":{"text":{"${own}":${JSON.stringify(text)}},"${ownOpen}":{"list":[${list}]}}`;
      };
      expect(Buffer.byteLength(fields('v1'))).toBeGreaterThan(1_000_000);
      await travel(fields);
    });
  });
});
