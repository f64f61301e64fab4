import { ConversionError } from '../../engine/conversion-error.ts';
import { getOwn, type JsonObject } from '../../engine/json.ts';
import { createRun } from '../../engine/run.ts';
import { AppError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { type Conversion, createConversion } from '../conformance/conversion.ts';
import { apiVersionOf, isOfKind, objectName } from '../conformance/sample.ts';
import { EXIT } from '../exit-code.ts';
import { CONFIG_FLAG, loadConversion, SCHEMA_FLAGS } from '../input/conversion.ts';
import { readDocuments, type SourceDocument } from '../input/samples.ts';
import type { Io } from '../io.ts';
import { renderJson } from '../output/json.ts';
import { sortKeys } from '../output/sort-keys.ts';
import { renderYamlStream } from '../output/yaml.ts';

export const convert = defineCommand({
  name: 'convert',
  group: 'Test',
  summary: 'convert objects to another version and print them',
  description:
    'Every document of the file is printed, in its order; objects of another kind as they are, with a note. Only what ' +
    'the rules change is changed, but keys are sorted and comments are not kept. Nothing is printed when an object ' +
    'cannot be converted.',
  flags: {
    config: CONFIG_FLAG,
    ...SCHEMA_FLAGS,
    sample: { value: 'PATH', required: true, summary: 'a file or a folder with the objects; - for standard input' },
    to: { value: 'VERSION', required: true, summary: 'the version to convert to' },
    from: { value: 'VERSION', summary: 'the version of the objects; what their apiVersion says when left out' },
    output: { short: 'o', value: 'FORMAT', default: 'yaml', choices: ['yaml', 'json'], summary: 'how to print' },
  },
  oneOf: [{ flags: ['xrd', 'crd'], required: true }],
  examples: [
    { what: 'One object', command: 'convert -c config.yaml --crd crd.yaml --sample widget.yaml --to v2' },
    { what: 'What is in a cluster', command: 'convert -c config.yaml --crd crd.yaml --sample - --to v2 -o json' },
  ],
  async run({ flags }, io) {
    const conversion = createConversion(await loadConversion(flags, io));
    requireVersion(conversion, '--to', flags.to);
    if (flags.from !== undefined) requireVersion(conversion, '--from', flags.from);
    const documents = await readDocuments(flags.sample, 'sample', io);
    if (documents.length === 0) throw new AppError('BAD_REQUEST', `${flags.sample} holds no object`);
    const objects = documents.map((document) => convertOne(conversion, document, flags, io));
    io.out(flags.output === 'json' ? objects.map(renderJson).join('') : renderYamlStream(objects));
    return EXIT.ok;
  },
});

function requireVersion({ router, config }: Conversion, flag: string, version: string): void {
  if (router.has(version)) return;
  throw new AppError('BAD_REQUEST', `${flag} ${version}: ${config} converts ${router.versions.join(', ')}`);
}

function convertOne(
  conversion: Conversion,
  { name, object }: SourceDocument,
  { to, from }: { to: string; from: string | undefined },
  io: Io,
): JsonObject {
  const { target, router } = conversion;
  const found = apiVersionOf(object);
  if (!isOfKind(object, target) || (found !== undefined && found.group !== target.group)) {
    io.err(`note: ${name}: ${objectName(object)} is no ${target.kind} of ${target.group}, printed as it is\n`);
    return sortKeys(object);
  }
  const source = from ?? found?.version;
  if (source === undefined || !router.has(source)) {
    const what = source === undefined ? 'has no apiVersion: give --from' : `is at ${source}, which has no rules`;
    throw new AppError(
      'BAD_REQUEST',
      `${name}: ${objectName(object)} ${what}; versions: ${router.versions.join(', ')}`,
    );
  }
  try {
    const converted = router.convert(object, source, to, createRun('offline'));
    const { metadata, ...rest } = converted;
    // Every output has metadata (R02); an object that came without goes without.
    const kept =
      getOwn(object, 'metadata') === undefined && Object.keys(metadata ?? {}).length === 0 ? rest : converted;
    return sortKeys({ ...kept, apiVersion: `${target.group}/${to}` });
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const message = `${name}: ${objectName(object)} cannot be converted from ${source} to ${to}: ${error.message}`;
    throw new AppError('CONVERSION_FAILED', message, {}, { cause: error });
  }
}
