import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GROUP } from '../bench/scalegen/slots.ts';
import { renderTarget } from '../bench/scalegen/target.ts';
import { APPLY_CASES, type ApplyCase } from './apply/cases.ts';
import { FORETELLING, KNOWN } from './apply/known.ts';
import { playScenario, type Variant } from './apply/scenario.ts';
import { failuresOf, type Played, type Row, renderTables } from './apply/table.ts';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { createTarget, type Roundhouse, startRoundhouse } from './support/roundhouse.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/compatibility.md');
const [BEGIN, END] = ['<!-- made by the end-to-end tests: begin -->', '<!-- end -->'];

const VARIANTS: readonly Variant[] = (['spoke', 'hub'] as const).flatMap((owner) =>
  [false, true].flatMap((hub) => [false, true].map((spoke) => ({ owner, labelled: { hub, spoke } }))),
);

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

  async function play(row: ApplyCase): Promise<{ played: Played[]; analysis: any }> {
    const own = { type: 'string' };
    const kind = `Apply${row.title.replace(/\W/g, '')}`;
    const target = renderTarget({ kind, hub: 'v2', spokes: { v1: [row.slot] }, shared: { hub: own, spoke: own } });
    const analysis = await createTarget(apiserver, roundhouse, target);
    const { plural } = target.crd.spec.names;
    const played: Played[] = [];
    for (const variant of VARIANTS.filter(({ owner }) => owner === (row.owner ?? owner))) {
      const findings = await playScenario({ client: apiserver, group: GROUP, kind, plural }, variant, row);
      played.push({ variant, findings });
    }
    return { played, analysis };
  }

  test.concurrent.each(APPLY_CASES)('$title: what is dropped is gone, what the other owns stays', async (row) => {
    const { played, analysis } = await play(row);
    const { failures, codes, lossy = false } = KNOWN[row.title] ?? { failures: {}, codes: [] };
    const faults = played.flatMap(({ variant, findings }) =>
      findings.filter((finding) => finding.faults.length > 0).map((finding) => ({ ...variant, ...finding })),
    );
    expect(failuresOf(played), JSON.stringify(faults, null, 1)).toEqual(failures);
    const warned = new Set<string>(analysis.diagnostics.map(({ code }: any) => code));
    expect(FORETELLING.filter((code) => warned.has(code))).toEqual(codes);
    if (lossy) expect(analysis.spokes).toMatchObject([{ lossless: { hubToSpoke: false } }]);
    const names = played.flatMap(({ variant, findings }) => findings.map(({ step }) => `${variant.owner} ${step}`));
    rows.set(row.title, { title: row.title, played: new Set(names), failures, codes, lossy });
  });

  test('the tables of docs/compatibility.md are what was seen (-u writes them)', async () => {
    expect([...rows.keys()].sort()).toEqual(APPLY_CASES.map(({ title }) => title).sort());
    const text = readFileSync(DOCUMENT, 'utf8');
    const [before = '', rest = ''] = text.split(BEGIN);
    const after = rest.split(END)[1] ?? '';
    const tables = renderTables(APPLY_CASES.flatMap(({ title }) => rows.get(title) ?? []));
    await expect([before, BEGIN, '\n\n', tables, '\n\n', END, after].join('')).toMatchFileSnapshot(DOCUMENT);
  });
});
