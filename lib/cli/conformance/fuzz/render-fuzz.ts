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
    const faults = faultsText(way);
    return [
      wayText(way),
      String(way.objects + way.objectsBeyond),
      faults === '' ? paint(io, 'green', 'pass') : paint(io, 'red', faults),
    ];
  });
  const examples = report.ways.flatMap((way) => way.counterExamples.map((example) => ({ way, example })));
  const beyond = report.ways.flatMap((way) => way.beyond.map((example) => ({ way, example })));
  const shown = (title: string) => (found: { way: FuzzWay; example: CounterExample }, index: number) =>
    `\n${paint(io, 'bold', `${title} ${index + 1}: ${wayText(found.way)}`)}\n${renderExample(found.example)}`;
  return [
    renderTable([['WAY', 'OBJECTS', 'RESULT'], ...rows]),
    ...examples.map(shown('COUNTER-EXAMPLE')),
    ...beyond.map(shown('BEYOND THE RULES')),
    ...(beyond.length > 0 ? [BEYOND] : []),
    issueTable('ACKNOWLEDGED LOSSES', report.acknowledged),
    issueTable('WHAT AN APISERVER WOULD PRUNE OR REFUSE', report.schemaIssues),
    `\n${renderFuzzSummary(report)}`,
  ].join('');
}

export function renderFuzzSummary({ summary, meta, ways }: FuzzReport): string {
  const beyond = ways.reduce((sum, way) => sum + way.objectsBeyond, 0);
  const leftOut = ways.reduce((sum, way) => sum + way.leftOut, 0);
  const parts = [
    `${summary.objects + beyond} objects with seed ${meta.seed}`,
    counted(summary.counterExamples, 'counter-example'),
    `${summary.beyond} beyond what the rules carry`,
    counted(summary.acknowledged, 'acknowledged loss', 'acknowledged losses'),
    `${counted(summary.schemaIssues, 'place')} that an apiserver would prune or refuse`,
    ...(leftOut > 0 ? [`${leftOut} more left out that their own schema refuses`] : []),
  ];
  return `SUMMARY: ${parts.join(', ')}\n`;
}

/** A suite with a case for each way. */
export function fuzzSuite({ meta, ways }: FuzzReport): JunitSuite {
  const cases = ways.map((way) => {
    const text = [...way.counterExamples, ...way.beyond].map(renderExample).join('\n');
    const message = faultsText(way);
    const fault = { kind: 'failure', message } as const;
    const facts = { name: wayText(way), classname: `${meta.config}.${meta.hubVersion}`, seconds: 0, text };
    return message === '' ? facts : { ...facts, fault };
  });
  return { name: `${meta.resourceKind}/${meta.resource} --fuzz --seed ${meta.seed} --runs ${meta.runs}`, cases };
}

const BEYOND = `
The schema allows what is beyond the rules, and they do not carry it (\`explain STRATEGY\` says what they carry): an
apiserver takes such an object, and another version then shows it changed, or not at all. Narrow the schema, change the
rule, or let it say acknowledgeLossy.
`;

/** What did not come back on a way, `''` when everything did. */
function faultsText({ counterExamples, beyond }: FuzzWay): string {
  const more = counterExamples.length < MAX_COUNTER_EXAMPLES ? '' : ' and perhaps more';
  return [
    ...(counterExamples.length > 0 ? [`${counted(counterExamples.length, 'counter-example')}${more}`] : []),
    ...(beyond.length > 0 ? [`${beyond.length} beyond the rules`] : []),
  ].join(', ');
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
