import { type Analysis, analyse, type ConversionSource } from '../engine/analyse.ts';
import { checkForm } from '../engine/analyse-list.ts';
import type { Diagnostic } from '../engine/diagnostic.ts';
import { getOwn, isArray, isObject } from '../engine/json.ts';
import { parseTarget, type Target } from '../k8s/target.ts';
import { type ConversionConfig, parseConfig } from './parse-config.ts';
import { createReporter, type Parsed, type Resource } from './resource.ts';

/** A finding, and which of the two documents its line is in. */
export interface Finding {
  readonly of: 'config' | 'schema';
  readonly diagnostic: Diagnostic;
}

/** What could be made of a config and its schema, and everything that was found on the way. */
export interface Inspection {
  readonly config?: ConversionConfig;
  readonly schema?: Target;
  /** There with both of the above. */
  readonly source?: ConversionSource;
  /** There with both of the above. */
  readonly analysis?: Analysis;
  readonly findings: readonly Finding[];
}

interface Documents {
  readonly config: Parsed<Resource>;
  /** Without one only the form of the config is judged. */
  readonly schema?: Parsed<Resource>;
}

/** What `parseConfig` has reported already, with its line. */
const REPORTED = new Set(['SPOKE_IS_HUB', 'SPOKE_DUPLICATE']);

/**
 * Parses and analyses a config with its schema, as far as both allow. Never throws.
 * @param target what the two must be for; what the config says when absent
 */
export async function inspect(documents: Documents, target?: string): Promise<Inspection> {
  const config = documents.config.value && parseConfig(documents.config.value);
  const schema = documents.schema?.value && parseTarget(documents.schema.value.value, documents.schema.value.lineOf);
  const ofConfig = [...documents.config.diagnostics];
  const ofSchema = [...(documents.schema?.diagnostics ?? []), ...(schema?.diagnostics ?? [])];
  ofConfig.push(...(config?.diagnostics ?? []));
  const wanted = target ?? config?.value?.target;
  if (config?.value && target !== undefined) {
    checkTarget(target, config.value, documents.config.value as Resource, ofConfig);
  }
  if (schema?.target && wanted !== undefined) {
    checkSchema(wanted, schema.target, config?.value, documents.schema?.value as Resource, ofSchema);
  }
  const findings = () => [
    ...ofConfig.map((diagnostic): Finding => ({ of: 'config', diagnostic })),
    ...ofSchema.map((diagnostic): Finding => ({ of: 'schema', diagnostic })),
  ];
  const known = { ...(config?.value && { config: config.value }), ...(schema?.target && { schema: schema.target }) };
  if (!config?.value || !schema?.target) {
    if (documents.config.value) ofConfig.push(...formOf(documents.config.value));
    return { ...known, findings: findings() };
  }
  const { hubVersion, spokes, unmappedFieldPolicy } = config.value;
  const source = { hubVersion, versions: schema.target.versions, spokes, unmappedFieldPolicy };
  const analysis = await analyse(source);
  const { lineOf } = documents.config.value as Resource;
  for (const found of analysis.diagnostics) {
    if (!REPORTED.has(found.code)) ofConfig.push(withLine(found, spokes, lineOf));
  }
  return { ...known, source, analysis, findings: findings() };
}

function checkTarget(target: string, config: ConversionConfig, resource: Resource, found: Diagnostic[]): void {
  if (config.target === target) return;
  const { error } = createReporter(resource, found);
  const path = ['spec', config.source === 'CRD' ? 'targetCRD' : 'targetXRD', 'name'];
  const message = `the config is for ${config.target}, not for ${target}`;
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
    const message = `the schema is of ${schema.name}, not of ${target}`;
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
