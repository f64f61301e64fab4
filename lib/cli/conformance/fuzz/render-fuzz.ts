import type { Json } from '../../../engine/json.ts';
import { showValue } from '../../../engine/values/value-error.ts';
import type { Io } from '../../io.ts';
import { counted } from '../../output/counted.ts';
import { paint } from '../../output/style.ts';
import { renderTable } from '../../output/table.ts';
import { renderYaml } from '../../output/yaml.ts';
import type { JunitSuite } from '../render-junit.ts';
import type { Issue } from '../report.ts';
import { type CounterExample, type FuzzReport, type FuzzWay, MAX_COUNTER_EXAMPLES } from './fuzz-report.ts';

/** A report of generated objects: the ways they went, and each counter-example as YAML that a sample can be made of. */
export function renderFuzz(report: FuzzReport, io: Io): string {
  const rows = report.ways.map((way) => {
    const count = way.counterExamples.length;
    const more = count < MAX_COUNTER_EXAMPLES ? '' : ', and perhaps more';
    const result =
      count === 0 ? paint(io, 'green', 'pass') : paint(io, 'red', `${counted(count, 'counter-example')}${more}`);
    return [wayText(way), String(way.objects), result];
  });
  const examples = report.ways.flatMap((way) => way.counterExamples.map((example) => ({ way, example })));
  const shown = examples.map(({ way, example }, index) => {
    const title = paint(io, 'bold', `COUNTER-EXAMPLE ${index + 1}: ${wayText(way)}`);
    return `\n${title}\n${renderExample(example)}`;
  });
  return [
    renderTable([['WAY', 'OBJECTS', 'RESULT'], ...rows]),
    ...shown,
    issueTable('ACKNOWLEDGED LOSSES', report.acknowledged),
    issueTable('WHAT AN APISERVER WOULD PRUNE OR REFUSE', report.schemaIssues),
    `\n${renderFuzzSummary(report)}`,
  ].join('');
}

export function renderFuzzSummary({ summary, meta, ways }: FuzzReport): string {
  const leftOut = ways.reduce((sum, way) => sum + way.leftOut, 0);
  const parts = [
    `${summary.objects} objects with seed ${meta.seed}`,
    counted(summary.counterExamples, 'counter-example'),
    counted(summary.acknowledged, 'acknowledged loss', 'acknowledged losses'),
    `${counted(summary.schemaIssues, 'place')} that an apiserver would prune or refuse`,
    ...(leftOut > 0 ? [`${leftOut} more left out that their own schema refuses`] : []),
  ];
  return `SUMMARY: ${parts.join(', ')}\n`;
}

/** A suite with a case for each way. */
export function fuzzSuite({ meta, ways }: FuzzReport): JunitSuite {
  const cases = ways.map((way) => {
    const text = way.counterExamples.map(renderExample).join('\n');
    const fault = { kind: 'failure', message: counted(way.counterExamples.length, 'counter-example') } as const;
    const facts = { name: wayText(way), classname: `${meta.config}.${meta.hubVersion}`, seconds: 0, text };
    return way.counterExamples.length === 0 ? facts : { ...facts, fault };
  });
  return { name: `${meta.resourceKind}/${meta.resource} --fuzz --seed ${meta.seed} --runs ${meta.runs}`, cases };
}

function wayText({ from, to, edited }: FuzzWay): string {
  return `${from} → ${to}${edited ? ', edited' : ''} → ${from}`;
}

function renderExample({ object, edit, fields, firstFields, issues }: CounterExample): string {
  const found = issues.map(({ field, detail }) => `  ${field}: ${detail}\n`).join('');
  const changed = edit ? `  the edit: ${edit.path} = ${showEdit(edit.value)}\n` : '';
  const size = `  an object with ${counted(fields, 'field')}, found with ${firstFields}:\n`;
  return `${found}${changed}${size}\n${renderYaml(object).replace(/^/gm, '    ').trimEnd()}\n`;
}

function showEdit(value: Json): string {
  return typeof value === 'object' ? renderYaml(value).trim().replaceAll('\n', ', ') : showValue(value);
}

function issueTable(title: string, issues: readonly Issue[]): string {
  if (issues.length === 0) return '';
  const rows = issues.map(({ field, from, to, type, detail }) => [field, `${from} → ${to}`, type, detail]);
  return `\n${title} (${issues.length})\n${renderTable([['FIELD', 'FROM → TO', 'TYPE', 'EXAMPLE'], ...rows])}`;
}
