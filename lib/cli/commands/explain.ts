import { strategies } from '../../engine/strategies/index.ts';
import { AppError } from '../../errors.ts';
import { type Explanation, explainObject } from '../authoring/explain/explanation.ts';
import { findStrategy, renderReference, renderStrategies } from '../authoring/explain/reference.ts';
import { explanationJson, renderExplanation } from '../authoring/explain/render.ts';
import { renderSideBySide } from '../authoring/explain/side-by-side.ts';
import { defineCommand, needing } from '../command.ts';
import { type Conversion, createConversion } from '../conformance/conversion.ts';
import { apiVersionOf, isOfKind, objectName } from '../conformance/sample.ts';
import { EXIT } from '../exit-code.ts';
import { CONFIG_FLAG, loadConversion, SCHEMA_FLAGS } from '../input/conversion.ts';
import { readDocuments, type SourceDocument } from '../input/samples.ts';
import type { Io } from '../io.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/printable.ts';

const { required: _required, ...config } = CONFIG_FLAG;

export const explain = defineCommand({
  name: 'explain',
  group: 'Author',
  summary: 'say where each field of a converted object comes from, or what a strategy does',
  description:
    'With --sample: for each field of the converted object the rule that wrote it and the fields it is made of, for ' +
    'each field of the sample where it went and whether it comes back. With the name of a strategy: its reference. ' +
    'With neither: the list of strategies.',
  args: {
    strategy: {
      summary: 'one of the 29 strategies, such as EnumRemap',
      suggestions: strategies.map(({ name }) => name),
    },
  },
  flags: {
    sample: { value: 'FILE', summary: 'one object; - for standard input' },
    ...needing('sample', {
      config,
      ...SCHEMA_FLAGS,
      to: { value: 'VERSION', summary: 'the version to convert to' },
      from: { value: 'VERSION', summary: 'the version of the object; what its apiVersion says when left out' },
    }),
    output: {
      short: 'o',
      value: 'FORMAT',
      default: 'table',
      choices: ['table', 'diff', 'json'],
      summary: 'how to print; diff shows the two objects beside each other',
    },
  },
  oneOf: [{ flags: ['xrd', 'crd'] }],
  examples: [
    { what: 'A strategy', command: 'explain EnumRemap' },
    { what: 'An object', command: 'explain -c config.yaml --crd crd.yaml --sample object.yaml --to v1' },
    {
      what: 'Beside each other',
      command: 'explain -c config.yaml --crd crd.yaml --sample object.yaml --to v1 -o diff',
    },
  ],
  async run({ args, flags }, io) {
    if (args.strategy !== undefined && flags.sample !== undefined) {
      throw new AppError('BAD_REQUEST', 'give the name of a strategy, or a --sample, not both');
    }
    if (args.strategy !== undefined) io.out(await renderReference(findStrategy(args.strategy)));
    else if (flags.sample === undefined) io.out(renderStrategies());
    else await explainSample({ ...flags, sample: flags.sample }, io);
    return EXIT.ok;
  },
});

interface SampleFlags {
  readonly config?: string | undefined;
  readonly xrd?: string | undefined;
  readonly crd?: string | undefined;
  readonly sample: string;
  readonly to?: string | undefined;
  readonly from?: string | undefined;
  readonly output: string;
}

async function explainSample({ config: path, to, ...flags }: SampleFlags, io: Io): Promise<void> {
  if (path === undefined || to === undefined || (flags.xrd ?? flags.crd) === undefined) {
    throw new AppError('BAD_REQUEST', 'to explain a sample, give --config, --crd or --xrd, and --to');
  }
  const conversion = createConversion(await loadConversion({ ...flags, config: path }, io));
  const [document, ...more] = await readDocuments(flags.sample, 'sample', io);
  if (document === undefined) throw new AppError('BAD_REQUEST', `${flags.sample} holds no object`);
  if (more.length > 0) throw new AppError('BAD_REQUEST', `${flags.sample} holds ${more.length + 1} objects: give one`);
  const from = versionOf(conversion, document, flags.from);
  requireVersion(conversion, '--to', to);
  const { object } = document;
  print(explainObject(conversion, { object, from, to, mode: 'offline' }), document, flags.output, io);
}

function print(explanation: Explanation, { name, object }: SourceDocument, output: string, io: Io): void {
  if (output === 'json') printJson(io, { sample: name, ...explanationJson(explanation) });
  else if (output === 'diff') io.out(renderSideBySide(object, explanation, io));
  else io.out(`${printable(objectName(object))}: ${renderExplanation(explanation, io)}`);
}

function versionOf(conversion: Conversion, { name, object }: SourceDocument, from: string | undefined): string {
  const { target } = conversion;
  const found = apiVersionOf(object);
  if (!isOfKind(object, target) || (found !== undefined && found.group !== target.group)) {
    throw new AppError('BAD_REQUEST', `${name}: ${objectName(object)} is no ${target.kind} of ${target.group}`);
  }
  const version = from ?? found?.version;
  if (version === undefined) throw new AppError('BAD_REQUEST', `${name} has no apiVersion: give --from`);
  requireVersion(conversion, from === undefined ? name : '--from', version);
  return version;
}

function requireVersion({ router, config: name }: Conversion, flag: string, version: string): void {
  if (router.has(version)) return;
  throw new AppError(
    'BAD_REQUEST',
    `${flag}: there is no version ${version}; ${name} converts ${router.versions.join(', ')}`,
  );
}
