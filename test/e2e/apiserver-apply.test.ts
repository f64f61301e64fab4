import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GROUP } from '../bench/scalegen/slots.ts';
import { renderTarget } from '../bench/scalegen/target.ts';
import { APPLY_CASES, type ApplyCase } from './apply/cases.ts';
import { playScenario, type Variant } from './apply/scenario.ts';
import { type Failures, failuresOf, type Played, type Row, renderTables } from './apply/table.ts';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { createTarget, type Roundhouse, startRoundhouse } from './support/roundhouse.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/compatibility.md');
const [BEGIN, END] = ['<!-- made by the end-to-end tests: begin -->', '<!-- end -->'];

const VARIANTS: readonly Variant[] = (['spoke', 'hub'] as const).flatMap((owner) =>
  [false, true].flatMap((hub) => [false, true].map((spoke) => ({ owner, labelled: { hub, spoke } }))),
);

/** Of a hub field that the spoke cannot hold, and that a rule writes. */
const INJECTED: Failures = {
  'spoke drop one': 'always',
  'spoke drop all': 'always',
  'hub again': 'with a label',
  'hub drop one': 'without a label',
  'hub drop all': 'without a label',
};

/** What cannot work, and the warnings of the analysis that say so beforehand. */
const KNOWN: Readonly<Record<string, { readonly failures: Failures; readonly codes: readonly string[] }>> = {
  ArrayToMapByKey: {
    failures: { 'spoke drop one': 'always', 'spoke give up': 'always' },
    codes: ['DROPPED_PART_STAYS'],
  },
  MapToArrayByKey: { failures: { 'hub drop one': 'always', 'hub give up': 'always' }, codes: ['DROPPED_PART_STAYS'] },
  DefaultValue: { failures: INJECTED, codes: ['WRITES_WITHOUT_SOURCE'] },
  Constant: { failures: INJECTED, codes: ['WRITES_WITHOUT_SOURCE'] },
  JSONPatch: {
    failures: Object.fromEntries(
      ['drop one', 'drop all', 'conflict', 'force', 'give up'].flatMap((step) =>
        ['spoke', 'hub'].map((owner) => [`${owner} ${step}`, 'always']),
      ),
    ),
    codes: ['WRITES_WITHOUT_SOURCE'],
  },
  'SingletonArrayToObject (two fields)': { failures: { 'spoke drop one': 'always' }, codes: ['DROPPED_PART_STAYS'] },
  'ObjectToSingletonArray (two fields)': { failures: { 'hub drop one': 'always' }, codes: ['DROPPED_PART_STAYS'] },
  'ListJoin (set)': { failures: { 'hub drop one': 'always' }, codes: ['DROPPED_PART_STAYS'] },
  'ToAnnotation (object)': { failures: { 'hub drop one': 'always' }, codes: ['DROPPED_PART_STAYS'] },
  'FieldRename (atomic and keyed list)': { failures: { 'spoke drop one': 'always' }, codes: ['DROPPED_PART_STAYS'] },
  'FieldsToScalar (one of two)': { failures: { 'hub drop one': 'always' }, codes: ['INVERSE_UNPROVEN'] },
};

const runs = canRun('apiserver', APISERVER_TOOLS);

describe.runIf(runs)('server-side apply by two managers at two versions', () => {
  let workbench: Workbench;
  let apiserver: Apiserver;
  let roundhouse: Roundhouse;
  const rows = new Map<string, Row>();

  beforeAll(async () => {
    workbench = openWorkbench();
    [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
  });

  afterAll(() => workbench.close());

  async function play(row: ApplyCase): Promise<{ played: Played[]; warnings: string[] }> {
    const own = { type: 'string' };
    const kind = `Apply${row.title.replace(/\W/g, '')}`;
    const target = renderTarget({ kind, hub: 'v2', spokes: { v1: [row.slot] }, shared: { hub: own, spoke: own } });
    const { diagnostics } = await createTarget(apiserver, roundhouse, target);
    const { plural } = target.crd.spec.names;
    const played: Played[] = [];
    for (const variant of VARIANTS.filter(({ owner }) => owner === (row.owner ?? owner))) {
      const findings = await playScenario({ client: apiserver, group: GROUP, kind, plural }, variant, row);
      played.push({ variant, findings });
    }
    return { played, warnings: diagnostics.map(({ code }: any) => code) };
  }

  test.concurrent.each(APPLY_CASES)('$title: what is dropped is gone, what the other owns stays', async (row) => {
    const { played, warnings } = await play(row);
    const { failures, codes } = KNOWN[row.title] ?? { failures: {}, codes: [] };
    const faults = played.flatMap(({ variant, findings }) =>
      findings.filter((finding) => finding.faults.length > 0).map((finding) => ({ ...variant, ...finding })),
    );
    expect(failuresOf(played), JSON.stringify(faults, null, 1)).toEqual(failures);
    expect(warnings).toEqual(expect.arrayContaining([...codes]));
    const names = played.flatMap(({ variant, findings }) => findings.map(({ step }) => `${variant.owner} ${step}`));
    rows.set(row.title, { title: row.title, played: new Set(names), failures, codes });
  });

  test('the tables of docs/compatibility.md are what was seen (-u writes them)', async () => {
    const text = readFileSync(DOCUMENT, 'utf8');
    const [before = '', rest = ''] = text.split(BEGIN);
    const after = rest.split(END)[1] ?? '';
    const tables = renderTables(APPLY_CASES.flatMap(({ title }) => rows.get(title) ?? []));
    await expect([before, BEGIN, '\n\n', tables, '\n\n', END, after].join('')).toMatchFileSnapshot(DOCUMENT);
  });
});
