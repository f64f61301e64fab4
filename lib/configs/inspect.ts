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
  /** There with both of the above, when they are for each other. */
  readonly source?: ConversionSource;
  /** There with `source`. */
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
 * Parses and analyses a config with its schema, as far as both allow; findings are in the order of the steps. Never throws.
 * @param target what a request is for; without one the two must be for each other, or the schema is not looked into
 */
export async function inspect({ config, schema }: Documents, target?: string): Promise<Inspection> {
  const findings: Finding[] = [];
  const add = (of: Finding['of'], diagnostics: readonly Diagnostic[] = []): void => {
    findings.push(...diagnostics.map((diagnostic) => ({ of, diagnostic })));
  };
  add('config', config.diagnostics);
  add('schema', schema?.diagnostics);
  const parsed = config.value && parseConfig(config.value);
  const definition = schema?.value && parseTarget(schema.value.value, schema.value.lineOf);
  add('config', parsed?.diagnostics);
  add('schema', definition?.diagnostics);
  const known = {
    ...(parsed?.value && { config: parsed.value }),
    ...(definition?.target && { schema: definition.target }),
    findings,
  };
  if (config.value && parsed?.value && target !== undefined)
    add('config', checkTarget(target, parsed.value, config.value));
  const wrong =
    schema?.value && definition?.target ? checkSchema(definition.target, schema.value, parsed?.value, target) : [];
  add('schema', wrong);
  const isOther = target === undefined && wrong.length > 0;
  if (!config.value || !parsed?.value || !definition?.target || isOther) {
    if (config.value) add('config', formOf(config.value));
    return known;
  }
  const { hubVersion, spokes, unmappedFieldPolicy } = parsed.value;
  const source = { hubVersion, versions: definition.target.versions, spokes, unmappedFieldPolicy };
  const analysis = await analyse(source);
  const { lineOf } = config.value;
  const news = analysis.diagnostics.filter(({ code }) => !REPORTED.has(code));
  add(
    'config',
    news.map((found) => withLine(found, spokes, lineOf)),
  );
  return { ...known, source, analysis };
}

function checkTarget(target: string, config: ConversionConfig, resource: Resource): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (config.target === target) return found;
  const { error } = createReporter(resource, found);
  const path = ['spec', config.source === 'CRD' ? 'targetCRD' : 'targetXRD', 'name'];
  const message = `the config is for ${config.target}, the request for ${target}`;
  error('TARGET_MISMATCH', path, message, 'send the config to its own target');
  return found;
}

/** Whether a schema is the one of the request, or else of the config. */
function checkSchema(
  schema: Target,
  resource: Resource,
  config: ConversionConfig | undefined,
  target: string | undefined,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const { error } = createReporter(resource, found);
  const wanted = target ?? config?.target;
  if (wanted !== undefined && schema.name !== wanted) {
    const message = `the schema is of ${schema.name}, the ${target === undefined ? 'config' : 'request'} for ${wanted}`;
    error('SCHEMA_TARGET_MISMATCH', ['metadata', 'name'], message, `send the CRD or XRD called ${wanted}`);
  }
  if (config !== undefined && config.source !== schema.source) {
    const message = `the config is for a ${config.source}, the schema is a ${schema.source}`;
    const hint = `use ${schema.source}ConversionConfig, or send the ${config.source}`;
    error('SCHEMA_KIND_MISMATCH', ['kind'], message, hint);
  }
  return found;
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
