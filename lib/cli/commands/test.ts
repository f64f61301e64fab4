import { FLEET_FLAGS, FLEET_ONE_OF } from '../cluster/fleet.ts';
import { SELECTION_FLAGS } from '../cluster/live-objects.ts';
import { checkLiveFlags, runLiveTest } from '../cluster/test-live.ts';
import { defineCommand } from '../command.ts';
import { type Conversion, createConversion } from '../conformance/conversion.ts';
import { checkFuzzFlags, FUZZ_FLAGS, runFuzz } from '../conformance/fuzz/run-fuzz.ts';
import type { SampleSource } from '../conformance/sample.ts';
import { uncheckedPatterns } from '../conformance/schema-values.ts';
import { printTest, type TestFlags, testOptions } from '../conformance/test-output.ts';
import { testSamples } from '../conformance/test-samples.ts';
import type { ExitCode } from '../exit-code.ts';
import { CONFIG_FLAG, loadConversion, SCHEMA_FLAGS } from '../input/conversion.ts';
import { parseWholeNumber } from '../input/numbers.ts';
import { readDocuments } from '../input/samples.ts';
import type { Io } from '../io.ts';
import { startProgress } from '../output/progress.ts';

const FLAGS = {
  config: CONFIG_FLAG,
  ...SCHEMA_FLAGS,
  samples: { short: 's', value: 'PATH', summary: 'a folder with YAML and JSON files, or a file; - for standard input' },
  live: { summary: 'test every object that a cluster, or each of a fleet, has' },
  fuzz: { summary: 'test objects made from the schemas and the rules, with an edit on the way' },
  ...FUZZ_FLAGS,
  output: {
    short: 'o',
    value: 'FORMAT',
    default: 'table',
    choices: ['table', 'json', 'junit'],
    summary: 'how to print',
  },
  outputFile: { value: 'FILE', summary: 'write the report there, and print only its summary' },
  failOn: { value: 'WHAT', choices: ['none', 'warn', 'loss'], default: 'loss', summary: 'what ends with exit code 1' },
  strict: { summary: 'the same as --fail-on warn' },
  absent: {
    value: 'HOW',
    choices: ['fail', 'skip'],
    summary:
      'whether a rule fails whose source is absent, or is skipped as in a cluster (default: fail; skip with --fuzz and --live)',
  },
  versionPair: { value: 'FROM:TO', repeat: true, summary: 'test only this way; may be given several times' },
  skipIdentity: { summary: 'leave out the ways from a version to itself' },
  concurrency: {
    value: 'N',
    default: '0',
    summary: 'clusters that are tested at once, 0 for one a CPU; the objects of one are tested in turn',
  },
  ...SELECTION_FLAGS,
  ...FLEET_FLAGS,
  quiet: { summary: 'show no progress' },
} as const;

export const test = defineCommand({
  name: 'test',
  group: 'Test',
  summary: 'convert objects to every version and back, and report what does not return',
  description:
    'A loss is acknowledged when the rule of the field is lossy and says so; any other loss, and any error, ends with ' +
    'exit code 1. With --fail-on warn so does a rule that no object exercised, and a place of a converted object that ' +
    'an apiserver would prune or refuse at its version. CEL rules of schemas are not evaluated.\n\n' +
    '--fuzz makes objects that the schemas allow and the rules carry (`explain STRATEGY` says what that is), and shows ' +
    'the smallest that do not return; then others with whatever the schemas allow, and shows those apart, as beyond the ' +
    'rules. What a rule with acknowledgeLossy loses is listed and does not fail.',
  flags: FLAGS,
  oneOf: [
    { flags: ['xrd', 'crd'], required: true },
    { flags: ['samples', 'live', 'fuzz'], required: true },
    ...FLEET_ONE_OF,
  ],
  examples: [
    { what: 'The objects of a folder', command: 'test -c config.yaml --crd crd.yaml -s samples/' },
    { what: 'In CI', command: 'test -c config.yaml --crd crd.yaml -s samples/ -o junit --output-file report.xml' },
    {
      what: 'Every object of two clusters',
      command: 'test -c config.yaml --crd crd.yaml --live --contexts stage,prod',
    },
    { what: 'Objects that nobody thought of', command: 'test -c config.yaml --crd crd.yaml --fuzz' },
    { what: 'The same ones again', command: 'test -c config.yaml --crd crd.yaml --fuzz --seed 1234' },
  ],
  async run({ flags }, io) {
    checkFuzzFlags(flags);
    checkLiveFlags(flags);
    parseWholeNumber(flags.concurrency, '--concurrency');
    const conversion = createConversion(await loadConversion(flags, io));
    noteUnchecked(conversion, io);
    if (flags.live) return runLiveTest(conversion, flags, io);
    if (flags.samples === undefined) return runFuzz(conversion, flags, io);
    const samples = await readDocuments(flags.samples, 'samples', io);
    return testObjects(conversion, { source: samples, total: samples.length }, flags, io);
  },
});

function noteUnchecked({ target }: Conversion, io: Io): void {
  const reasons = new Set(target.versions.flatMap(({ schema }) => uncheckedPatterns(schema)));
  for (const reason of reasons) io.err(`note: the schema: no value is checked against it: ${reason}\n`);
}

/** @param objects with how many there are, when that is known before the end */
async function testObjects(
  conversion: Conversion,
  objects: { readonly source: SampleSource; readonly total?: number },
  flags: TestFlags,
  io: Io,
): Promise<ExitCode> {
  const progress = startProgress(io, flags.quiet);
  const of = objects.total === undefined ? '' : `/${objects.total}`;
  const report = await testSamples(conversion, objects.source, {
    ...testOptions(conversion, flags, io),
    mode: flags.absent === 'skip' ? 'review' : 'offline',
    onSample: (done) => progress.show(`tested ${done}${of} samples`),
  }).finally(progress.end);
  return printTest(report, flags, io);
}
