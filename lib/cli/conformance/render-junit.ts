import type { Issue, PathReport, TestReport } from './report.ts';

/** One case of a suite in JUnit's XML. */
export interface JunitCase {
  readonly name: string;
  readonly classname: string;
  readonly seconds: number;
  /** What went wrong; a case without one passed. */
  readonly fault?: { readonly kind: 'failure' | 'error'; readonly message: string };
  /** Text of the fault, or the output of a case that passed. */
  readonly text: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** The suite of one report. @param prefix before the suite's name: the cluster of a fleet */
export function junitSuite({ meta, samples }: TestReport, prefix = ''): JunitSuite {
  const cases = samples.flatMap(({ file, paths }) =>
    paths.map((path): JunitCase => {
      const fault = faultOf(path);
      return {
        name: `${file}: ${path.from}→${path.to}`,
        classname: `${meta.config}.${meta.hubVersion}`,
        seconds: path.timingMicros / 1e6,
        ...(fault && { fault }),
        text: (path.issues ?? []).map(line).join('\n'),
      };
    }),
  );
  return { name: `${prefix}${meta.resourceKind}/${meta.resource}`, cases };
}

function faultOf({ result }: PathReport): JunitCase['fault'] {
  if (result === 'fail') return { kind: 'failure', message: 'unacknowledged loss' };
  return result === 'error' ? { kind: 'error', message: 'conversion error' } : undefined;
}

function line({ type, field, detail }: Issue): string {
  return `${type} ${field}: ${detail}`;
}

/** A JUnit document, as CI systems read it. */
export function renderJunit(suites: readonly JunitSuite[]): string {
  const cases = suites.flatMap((suite) => suite.cases);
  const body = suites.map((suite) => {
    const inner = suite.cases.map(renderCase).join('');
    return `  <testsuite ${attributes(suite.name, suite.cases)}>\n${inner}  </testsuite>\n`;
  });
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  return `${head}<testsuites ${attributes('convctl', cases)}>\n${body.join('')}</testsuites>\n`;
}

function attributes(name: string, cases: readonly JunitCase[]): string {
  const count = (kind: string) => cases.filter(({ fault }) => fault?.kind === kind).length;
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
  return `name="${escapeXml(name)}" ${counts} time="${seconds.toFixed(6)}"`;
}

function renderCase({ name, classname, seconds, fault, text }: JunitCase): string {
  const facts = `name="${escapeXml(name)}" classname="${escapeXml(classname)}" time="${seconds.toFixed(6)}"`;
  if (fault === undefined && text === '') return `    <testcase ${facts}/>\n`;
  const inner =
    fault === undefined
      ? `<system-out>${escapeXml(text)}</system-out>`
      : `<${fault.kind} message="${escapeXml(fault.message)}">${escapeXml(text)}</${fault.kind}>`;
  return `    <testcase ${facts}>\n      ${inner}\n    </testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Everything that XML 1.0 allows, other than tab and the line ends. */
const ALLOWED = /^[\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}\t\n\r]$/u;

/** Text of XML 1.0; characters that it cannot hold become U+FFFD. */
function escapeXml(text: string): string {
  return [...text].map((char) => (ALLOWED.test(char) ? (ENTITIES[char] ?? char) : '\ufffd')).join('');
}
