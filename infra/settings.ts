import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { AppError } from '../lib/errors.ts';
import { loadBrand } from '../lib/system/brand.ts';
import { nearestName } from '../lib/system/nearest-name.ts';
import { checkRegion } from './regions.ts';
import { SETTINGS, type Setting, type SettingName, type Settings } from './settings-table.ts';

export type { Settings } from './settings-table.ts';

type Context = Readonly<Record<string, unknown>>;

const ROOT = resolve(import.meta.dirname, '..');
const NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** What the CDK command line keeps for itself in the context under names that do not look like it. */
const CDK_NAMES = new Set(['acknowledged-issue-numbers', 'cli-telemetry']);

/**
 * Checks the CDK context (`-c name=value`, or cdk.json) and fills in the defaults. Throws one `Error` that names every
 * problem, written for the person who deploys.
 *
 * @param region where the stack goes; undefined while nobody knows
 * @returns the settings; `brandFile` is an absolute path, and there is a valid brand file
 */
export function parseSettings(context: Context, region?: string): Settings {
  const problems: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of NAMES) {
    const { schema, allowed, default: value }: Setting = SETTINGS[name];
    const given = isGiven(context, name) ? context[name] : value;
    if (given === undefined) continue;
    const result = schema.safeParse(given);
    if (result.success) values[name] = result.data;
    else problems.push(`${name}: ${explain(given)}. It takes ${allowed}.`);
  }
  const settings = values as Settings;
  const unknown = Object.keys(context).filter((key) => !Object.hasOwn(SETTINGS, key) && !isOfCdk(key));
  problems.push(...checkTogether(settings, context), ...checkRegion(region, settings.convertCertificateArn));
  problems.push(...unknown.map(explainUnknown));
  const brandFile = settings.brandFile && resolve(ROOT, settings.brandFile);
  if (brandFile) problems.push(...checkBrand(brandFile));
  if (problems.length === 0) return { ...settings, brandFile };
  const list = problems.map((problem) => `\n  - ${problem.replaceAll('\n', '\n    ')}`).join('');
  const help = unknown.length === 0 ? '' : `\n\n${renderSettings()}`;
  throw new Error(`The settings of this deployment are not valid:${list}${help}`);
}

function isGiven(context: Context, name: string): boolean {
  return Object.hasOwn(context, name) && context[name] !== undefined;
}

/** Feature flags (`@aws-cdk/…`), what the command line passes on (`aws:cdk:…`), and looked-up values (`vpc-provider:…`). */
function isOfCdk(key: string): boolean {
  return key.startsWith('@') || key.includes(':') || CDK_NAMES.has(key);
}

function explain(given: unknown): string {
  if (given === '') return 'the value is empty; leave the setting out where you want none of your own';
  return `${inspect(given, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 3, maxStringLength: 80 })} is refused`;
}

function explainUnknown(key: string): string {
  const nearest = nearestName(key, NAMES);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `${JSON.stringify(key.slice(0, 80))} is not a setting of Roundhouse.${hint}`;
}

/** What one value means for another. A value that is wrong by itself is not judged again. */
function checkTogether(settings: Settings, context: Context): string[] {
  const { convertProvisionedConcurrency: provisioned, convertReservedConcurrency: reserved } = settings;
  const problems: string[] = [];
  if (reserved !== undefined && provisioned > 0 && 2 * provisioned >= reserved) {
    problems.push(
      `convertProvisionedConcurrency: ${provisioned} is too much for a convertReservedConcurrency of ${reserved}. While a deployment runs, the warm instances of both versions and the hook share the reserved ones: reserve at least ${2 * provisioned + 1}.`,
    );
  }
  const pair = ['convertDomain', 'convertCertificateArn'] as const;
  const missing = pair.filter((name) => !isGiven(context, name));
  if (missing.length === 1) {
    problems.push(`${missing[0]}: it is missing. ${pair.join(' and ')} belong together: give both or none.`);
  }
  return problems;
}

function checkBrand(file: string): string[] {
  try {
    loadBrand(file);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [`brandFile: ${error.message}`];
  }
}

/** All settings, with what each takes. */
function renderSettings(): string {
  const rows = NAMES.map((name) => {
    const { allowed, default: value }: Setting = SETTINGS[name];
    return `  ${name} (${value === undefined ? 'unset' : `default ${value}`}): ${allowed}`;
  });
  return `The settings, in cdk.context.json, or for one command as -c name=value:\n${rows.join('\n')}`;
}
