import { type Analysis, analyse, type ConversionSource } from '../engine/analyse.ts';
import { checkForm } from '../engine/analyse-list.ts';
import { type Diagnostic, hasErrors } from '../engine/diagnostic.ts';
import { getOwn, isArray, isObject } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { stringifyJson } from '../k8s/json.ts';
import { parseTarget, type Target } from '../k8s/target.ts';
import { type ConversionConfig, parseConfig } from './parse-config.ts';
import { createReporter, type Resource, readResource } from './resource.ts';
import type { PutInput } from './types.ts';

/** A config and its schema that passed every check. */
export interface Prepared {
  readonly config: ConversionConfig;
  readonly schema: Target;
  /** API version of the CRD or XRD itself. */
  readonly schemaApiVersion: string;
  readonly source: ConversionSource;
  readonly analysis: Analysis;
  /** No errors among them. */
  readonly diagnostics: readonly Diagnostic[];
  readonly texts: { readonly config: string; readonly schema: string };
}

/** What `parseConfig` has reported already, with its line. */
const REPORTED = new Set(['SPOKE_IS_HUB', 'SPOKE_DUPLICATE']);

/**
 * Parses and analyses a config with its schema. Stores nothing.
 * @throws AppError CONFIG_INVALID with all diagnostics at once, warnings included
 */
export async function prepare(target: string, input: PutInput): Promise<Prepared> {
  const configDocument = readResource(input.config, 'config', stringifyJson);
  const schemaDocument = readResource(input.schema, 'schema', stringifyJson);
  const diagnostics = [...configDocument.diagnostics, ...schemaDocument.diagnostics];
  const config = configDocument.value && parseConfig(configDocument.value);
  const schema = schemaDocument.value && parseTarget(schemaDocument.value.value, schemaDocument.value.lineOf);
  diagnostics.push(...(config?.diagnostics ?? []), ...(schema?.diagnostics ?? []));
  if (config?.value) checkTarget(target, config.value, configDocument.value as Resource, diagnostics);
  if (schema?.target) checkSchema(target, schema.target, config?.value, schemaDocument.value as Resource, diagnostics);
  if (!config?.value || !schema?.target) {
    if (configDocument.value) diagnostics.push(...formOf(configDocument.value));
    throw invalid(target, diagnostics);
  }

  const { hubVersion, spokes, unmappedFieldPolicy } = config.value;
  const source = { hubVersion, versions: schema.target.versions, spokes, unmappedFieldPolicy };
  const analysis = await analyse(source);
  const { lineOf, text } = configDocument.value as Resource;
  for (const found of analysis.diagnostics) {
    if (!REPORTED.has(found.code)) diagnostics.push(withLine(found, spokes, lineOf));
  }
  if (!analysis.ok || hasErrors(diagnostics)) throw invalid(target, diagnostics);
  const { value: definition, text: schemaText } = schemaDocument.value as Resource;
  return {
    config: config.value,
    schema: schema.target,
    schemaApiVersion: String(getOwn(definition, 'apiVersion')),
    source,
    analysis,
    diagnostics,
    texts: { config: text, schema: schemaText },
  };
}

/** @returns the error that `PUT` answers a bad config with */
export function invalid(target: string, diagnostics: readonly Diagnostic[]): AppError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  const message = `The config of ${target} has ${count}; nothing was stored. First: ${errors[0]?.message}`;
  return new AppError('CONFIG_INVALID', message, { diagnostics });
}

function checkTarget(target: string, config: ConversionConfig, resource: Resource, found: Diagnostic[]): void {
  if (config.target === target) return;
  const { error } = createReporter(resource, found);
  const path = ['spec', config.source === 'CRD' ? 'targetCRD' : 'targetXRD', 'name'];
  const message = `the config is for ${config.target}, the request for ${target}`;
  error('TARGET_MISMATCH', path, message, 'send the config to its own target');
}

function checkSchema(
  target: string,
  schema: Target,
  config: ConversionConfig | undefined,
  resource: Resource,
  found: Diagnostic[],
): void {
  const { error } = createReporter(resource, found);
  if (schema.name !== target) {
    const message = `the schema is of ${schema.name}, the request for ${target}`;
    error('SCHEMA_TARGET_MISMATCH', ['metadata', 'name'], message, `send the CRD or XRD called ${target}`);
  }
  if (config !== undefined && config.source !== schema.source) {
    const message = `the config is for a ${config.source}, the schema is a ${schema.source}`;
    error(
      'SCHEMA_KIND_MISMATCH',
      ['kind'],
      message,
      `use ${schema.source}ConversionConfig, or send the ${config.source}`,
    );
  }
}

/** The form of the rules of a config that cannot be analysed, as far as its spokes can be found. */
function formOf({ value, lineOf }: Resource): Diagnostic[] {
  const spec = getOwn(value, 'spec');
  const list = isObject(spec) ? getOwn(spec, 'spokes') : undefined;
  const spokes = (isArray(list) ? list : []).map((item) => {
    const version = isObject(item) ? getOwn(item, 'version') : undefined;
    const rules = isObject(item) ? getOwn(item, 'rules') : undefined;
    return { version: typeof version === 'string' ? version : '', rules: isArray(rules) ? rules : [] };
  });
  return spokes.flatMap(({ version, rules }) =>
    checkForm(rules).map((found) => withLine({ ...found, spoke: version }, spokes, lineOf)),
  );
}

/** The line of the rule, or of the part of it, that a finding is about. */
function withLine(
  found: Diagnostic,
  spokes: readonly { readonly version: string }[],
  lineOf: Resource['lineOf'],
): Diagnostic {
  const inside = found.path.split('.').map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment));
  const spoke = spokes.findIndex(({ version }) => version === found.spoke);
  const nested = (found.nested ?? []).flatMap((index) => ['forEach', 'rules', index]);
  const rule = found.rule === undefined ? [] : ['rules', found.rule, ...nested, ...inside];
  const line = lineOf(spoke === -1 ? inside : ['spec', 'spokes', spoke, ...rule]);
  return line === undefined ? found : { ...found, line };
}

/** The finding about a plan that analysis liked and that cannot be compiled. */
export function notCompiled(message: string): Diagnostic {
  const hint = 'this is a fault of ours: please report it with the config';
  return { code: 'PLAN_NOT_COMPILED', severity: 'error', message, path: 'spec.spokes', hint };
}
