import { type Finding, type Inspection, inspect } from '../../configs/inspect.ts';
import { type Resource, readResource } from '../../configs/resource.ts';
import { hasErrors } from '../../engine/diagnostic.ts';
import type { JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { stringifyJson } from '../../k8s/json.ts';
import { parseTarget, type Target } from '../../k8s/target.ts';
import type { Flag } from '../command.ts';
import type { Io } from '../io.ts';
import { renderFindings } from '../output/findings.ts';
import { readSource, type SourceText } from './files.ts';
import { isConfig, isSchema, kindOf } from './kinds.ts';

/** The flags by which commands take a config and its schema. */
export const CONFIG_FLAG = {
  short: 'c',
  value: 'FILE',
  required: true,
  summary: 'the XRDConversionConfig or CRDConversionConfig; - for standard input',
} as const satisfies Flag;
export const SCHEMA_FLAGS = {
  xrd: { short: 'x', value: 'FILE', summary: 'the CompositeResourceDefinition, for an XRDConversionConfig' },
  crd: { value: 'FILE', summary: 'the CustomResourceDefinition, for a CRDConversionConfig' },
} as const satisfies Record<string, Flag>;

interface ConversionFlags {
  readonly config: string;
  readonly xrd?: string | undefined;
  readonly crd?: string | undefined;
}

/** What a command was given, and what was found in it. */
export interface Given extends Inspection {
  /** The texts that findings have their lines in. */
  readonly texts: Readonly<Partial<Record<Finding['of'], SourceText>>>;
  /** The two as they were written, where they can be read. */
  readonly documents: Readonly<Partial<Record<Finding['of'], Resource>>>;
}

/**
 * Reads and judges a config, with its schema when a flag names one. A file may hold other documents too.
 * @throws AppError when a file cannot be read, or the flag is not the one for the kind of config
 */
export async function readConversion(flags: ConversionFlags, io: Io): Promise<Given> {
  const config = await readSource(flags.config, 'config', io);
  const document = readDocument(config, 'config', isConfig);
  const path = flags.xrd ?? flags.crd;
  const written = document.value && { config: document.value };
  if (path === undefined)
    return { ...(await inspect({ config: document })), texts: { config }, documents: { ...written } };
  if (document.value) checkFlag(document.value.value, flags);
  const schema = await readSource(path, 'schema', io);
  const definition = readDocument(schema, 'schema', isSchema);
  const documents = { ...written, ...(definition.value && { schema: definition.value }) };
  return { ...(await inspect({ config: document, schema: definition })), texts: { config, schema }, documents };
}

/** A conversion that has no error. @throws AppError with all findings in its message when it has some */
export async function loadConversion(flags: ConversionFlags, io: Io): Promise<Given & Required<Inspection>> {
  const given = await readConversion(flags, io);
  const { config, schema, source, analysis, findings } = given;
  const broken = hasErrors(findings.map(({ diagnostic }) => diagnostic));
  if (config && schema && source && analysis && !broken) return { ...given, config, schema, source, analysis };
  throw invalidConversion(given, io);
}

/** The error that says everything that is wrong with a config or its schema. */
export function invalidConversion({ findings, texts }: Given, io: Io): AppError {
  const errors = findings.filter(({ diagnostic }) => diagnostic.severity === 'error');
  const what = errors.length > 0 && errors.every(({ of }) => of === 'schema') ? 'schema' : 'config';
  return new AppError('CONFIG_INVALID', `the ${what} has errors\n${renderFindings(errors, texts, io).trimEnd()}`);
}

/** A CRD or an XRD alone. @throws AppError with everything that is wrong with it */
export async function readSchemaFile(path: string, io: Io): Promise<{ resource: Resource; target: Target }> {
  const schema = await readSource(path, 'schema', io);
  const { value: resource, diagnostics } = readDocument(schema, 'schema', isSchema);
  const parsed = resource ? parseTarget(resource.value, resource.lineOf) : { diagnostics };
  if (resource && parsed.target && parsed.diagnostics.length === 0) return { resource, target: parsed.target };
  const findings = parsed.diagnostics.map((diagnostic): Finding => ({ of: 'schema', diagnostic }));
  throw new AppError('CONFIG_INVALID', `the schema has errors\n${renderFindings(findings, { schema }, io).trimEnd()}`);
}

function readDocument({ text }: SourceText, what: 'config' | 'schema', wanted: (document: JsonObject) => boolean) {
  return readResource(text, what, stringifyJson, wanted);
}

/** The config's kind decides which of the two flags is right. @throws AppError when the other was given */
export function checkFlag(document: JsonObject, { config, xrd, crd }: ConversionFlags): void {
  if (xrd === undefined && crd === undefined) return;
  const kind = kindOf(document);
  const [given, right] = xrd === undefined ? (['--crd', '--xrd'] as const) : (['--xrd', '--crd'] as const);
  const wrong = given === '--crd' ? 'XRDConversionConfig' : 'CRDConversionConfig';
  if (kind === wrong)
    throw new AppError('BAD_REQUEST', `${config} is a ${kind}: give its schema with ${right}, not ${given}`);
}
