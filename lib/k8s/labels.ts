import { isArray, isObject, type Json } from '../engine/json.ts';
import { isLabelKey, isLabelValue } from '../engine/values/label.ts';
import { type DocumentPath, pathText } from '../engine/values/path-text.ts';

/** One condition of a selector; all of them must hold. */
interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Sorted, each once; empty for the last two operators. */
  readonly values: readonly string[];
}

/** No requirement selects everything. */
export type LabelSelector = readonly LabelRequirement[];

interface SelectorProblem {
  /** Path below the selector; empty for one that is text. */
  readonly path: string;
  readonly message: string;
}

export type ParsedSelector =
  | { readonly selector: LabelSelector; readonly problems?: never }
  | { readonly problems: readonly SelectorProblem[]; readonly selector?: never };

/** Whether an object with these labels is selected. `NotIn` holds also where the label is absent, as in Kubernetes. */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    return (value !== undefined && values.includes(value)) === (operator === 'In');
  });
}

/** Reads a `metav1.LabelSelector`; all its problems at once. */
export function parseLabelSelector(value: Json): ParsedSelector {
  if (!isObject(value)) return { problems: [{ path: '', message: 'must be an object' }] };
  const reader = new SelectorReader();
  for (const [key, item] of Object.entries(value)) {
    if (key === 'matchLabels') readMatchLabels(item, reader);
    else if (key === 'matchExpressions') readMatchExpressions(item, reader);
    else reader.problem([key], 'is unknown; a label selector has matchLabels and matchExpressions');
  }
  return reader.result();
}

/** Reads the text form of the query parameter `labelSelector`: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
export function parseSelectorText(text: string): ParsedSelector {
  const reader = new SelectorReader();
  if (text.trim() !== '') for (const term of splitTerms(text)) readTerm(term.trim(), reader);
  return reader.result();
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
const SET_TERM = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const EQUALITY_TERM = /^([^=!\s]+)\s*(==?|!=)\s*([^=!\s]*)$/;
const EXISTENCE_TERM = /^(!?)\s*([^=!\s()]+)$/;

function readMatchLabels(value: Json, reader: SelectorReader): void {
  if (value === null) return;
  if (!isObject(value)) reader.problem(['matchLabels'], 'must be an object');
  else for (const [key, item] of Object.entries(value)) reader.add(['matchLabels', key], key, 'In', [item]);
}

function readMatchExpressions(value: Json, reader: SelectorReader): void {
  if (value === null) return;
  if (!isArray(value)) reader.problem(['matchExpressions'], 'must be a list');
  else for (const [index, item] of value.entries()) readExpression(['matchExpressions', index], item, reader);
}

function readExpression(path: DocumentPath, value: Json, reader: SelectorReader): void {
  if (!isObject(value)) {
    reader.problem(path, 'must be an object');
    return;
  }
  const { key, operator: name, values: list, ...others } = value;
  for (const other of Object.keys(others)) reader.problem([...path, other], 'is unknown');
  const operator = OPERATORS.find((known) => known === name);
  const values = list === null || list === undefined ? [] : list;
  if (typeof key !== 'string') reader.problem([...path, 'key'], 'must be a string');
  if (!operator) reader.problem([...path, 'operator'], `must be one of ${OPERATORS.join(', ')}`);
  if (!isArray(values)) reader.problem([...path, 'values'], 'must be a list');
  else if (typeof key === 'string' && operator) reader.add(path, key, operator, values);
}

function readTerm(text: string, reader: SelectorReader): void {
  const [, setKey, set, list = ''] = SET_TERM.exec(text) ?? [];
  const [, key, operator, value = ''] = EQUALITY_TERM.exec(text) ?? [];
  const [, not, name] = EXISTENCE_TERM.exec(text) ?? [];
  if (setKey) reader.add([], setKey, set === 'in' ? 'In' : 'NotIn', list.split(',').map(trimmed));
  else if (key) reader.add([], key, operator === '!=' ? 'NotIn' : 'In', [value]);
  else if (name) reader.add([], name, not ? 'DoesNotExist' : 'Exists', []);
  else reader.problem([], `"${text}" is none of key, !key, key=value, key!=value, key in (a,b), key notin (a,b)`);
}

const trimmed = (text: string) => text.trim();

/** Splits at the commas outside `(…)`. */
function splitTerms(text: string): string[] {
  const terms = [''];
  let inside = false;
  for (const character of text) {
    if (character === '(' || character === ')') inside = character === '(';
    if (character === ',' && !inside) terms.push('');
    else terms[terms.length - 1] += character;
  }
  return terms;
}

class SelectorReader {
  readonly #requirements: LabelRequirement[] = [];
  readonly #problems: SelectorProblem[] = [];

  problem(path: DocumentPath, message: string): void {
    this.#problems.push({ path: path.length === 0 ? '' : pathText(path), message });
  }

  add(path: DocumentPath, key: string, operator: LabelRequirement['operator'], values: readonly Json[]): void {
    const before = this.#problems.length;
    if (!isLabelKey(key)) this.problem(path, `"${key}" is not a label key`);
    const wanted = operator === 'In' || operator === 'NotIn';
    if (wanted && values.length === 0) this.problem(path, `${operator} needs at least one value`);
    if (!wanted && values.length > 0) this.problem(path, `${operator} takes no values`);
    for (const value of values) {
      if (typeof value !== 'string') this.problem(path, `the values of "${key}" must be strings`);
      else if (!isLabelValue(value)) this.problem(path, `"${value}" is not a label value`);
    }
    if (this.#problems.length > before) return;
    this.#requirements.push({ key, operator, values: [...new Set(values as readonly string[])].sort() });
  }

  result(): ParsedSelector {
    return this.#problems.length > 0 ? { problems: this.#problems } : { selector: this.#requirements };
  }
}
