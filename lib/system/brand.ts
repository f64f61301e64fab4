import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, type Json } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { parseYaml } from '../k8s/yaml.ts';
import { YamlError } from '../k8s/yaml-error.ts';
import { BRAND_FIELDS, type BrandField } from './brand-fields.ts';
import { nearestName } from './nearest-name.ts';

const NAMES = Object.keys(BRAND_FIELDS) as readonly (keyof typeof BRAND_FIELDS)[];
const PREFIX = 'APP_BRAND_';
const MAX_BYTES = 64 * 1024;

export type BrandKey = (typeof BRAND_FIELDS)[keyof typeof BRAND_FIELDS]['key'];
export const BRAND_KEYS: readonly BrandKey[] = NAMES.map((name) => BRAND_FIELDS[name].key);

/** Who an installation says it is. Every key is there; what is not set is an empty string. */
export type Brand = Readonly<Record<BrandKey, string>>;

/**
 * `APP_BRAND_<KEY>` variables, which go before the file; an empty one does not. They are for who runs `api` outside the
 * stack of `infra/`, which sets none: there the brand is a file, `brandFile`.
 */
export type BrandOverrides = Readonly<Record<string, string | undefined>>;

/**
 * Reads a brand file: YAML, at most 64 KiB. Throws one `AppError` that names every problem, for a person who deploys.
 *
 * @param file relative to the working directory
 */
export function loadBrand(file: string, overrides: BrandOverrides = {}): Brand {
  const path = resolve(file);
  return parseBrand(readText(path), path, overrides);
}

/** @param file what problems call it */
export function parseBrand(text: string, file: string, overrides: BrandOverrides = {}): Brand {
  const { object, lineOf } = readDocument(text, file);
  const problems = [
    ...Object.keys(object).flatMap((key) => checkKey(key, `${lineOf(key)}${JSON.stringify(key.slice(0, 64))}`)),
    ...Object.keys(overrides).flatMap((name) => checkKey(name.replace(PREFIX, '').toLowerCase(), name)),
  ];
  const entries = NAMES.map((name): [BrandKey, string] => {
    const override = overrides[variableOf(name)];
    const value = override || (Object.hasOwn(object, name) ? object[name] : '');
    const problem = checkField(name, value);
    if (problem !== undefined) problems.push(`${override ? variableOf(name) : `${lineOf(name)}${name}`} ${problem}`);
    return [BRAND_FIELDS[name].key, typeof value === 'string' ? value : ''];
  });
  if (problems.length > 0) {
    throw invalid(file, `is not valid:\n  ${problems.join('\n  ')}\nIt takes the keys ${NAMES.join(', ')}.`);
  }
  const brand = Object.fromEntries(entries) as Brand;
  return { ...brand, PrimaryColorDark: brand.PrimaryColorDark || brand.PrimaryColor };
}

function variableOf(name: string): string {
  return `${PREFIX}${name.toUpperCase()}`;
}

function checkKey(key: string, shown: string): string[] {
  if (Object.hasOwn(BRAND_FIELDS, key)) return [];
  const nearest = nearestName(key, NAMES);
  return [`${shown} is not known${nearest === undefined ? '' : `; did you mean ${nearest}?`}`];
}

function checkField(name: keyof typeof BRAND_FIELDS, value: Json | undefined): string | undefined {
  const { required, check }: BrandField = BRAND_FIELDS[name];
  if (value === null) return 'has no value; remove the key, or put the value in quotes if it starts with #';
  if (typeof value !== 'string') return 'must be text; put it in quotes';
  if (value !== '') return check(value);
  return required && 'is missing; set it in the file';
}

function readText(path: string): string {
  try {
    const status = statSync(path);
    if (!status.isFile()) throw invalid(path, 'is not a file');
    if (status.size > MAX_BYTES) throw invalid(path, `has ${status.size} bytes; the limit is ${MAX_BYTES}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const hint = 'brandFile (to deploy) or, outside the stack, APP_BRAND_FILE gives another path';
    throw invalid(path, code === 'ENOENT' ? `does not exist; ${hint}` : `cannot be read (${code})`, { cause });
  }
}

function readDocument(text: string, file: string) {
  try {
    const [document, ...others] = parseYaml(text);
    const object = document === undefined ? {} : document.value;
    if (others.length > 0 || !isObject(object)) throw invalid(file, 'must be one YAML mapping of keys to texts');
    const lineOf = (key: string) => {
      const line = document?.lineOf([key]);
      return line === undefined ? '' : `line ${line}: `;
    };
    return { object, lineOf };
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    throw invalid(file, `is not YAML: ${cause.message}${cause.hint ? `; ${cause.hint}` : ''}`, { cause });
  }
}

function invalid(file: string, problem: string, options?: ErrorOptions): AppError {
  return new AppError('UNPROCESSABLE', `the brand file ${file} ${problem}`, {}, options);
}
