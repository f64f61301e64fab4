import * as z from 'zod/mini';
import { analyse } from '../../../engine/analyse.ts';
import { compile } from '../../../engine/compile.ts';
import { getOwn, isArray, isObject, type Json, type JsonObject } from '../../../engine/json.ts';
import { createRun } from '../../../engine/run.ts';
import { strategies } from '../../../engine/strategies/index.ts';
import type { Strategy } from '../../../engine/strategy.ts';
import { AppError } from '../../../errors.ts';
import { renderTable } from '../../output/table.ts';
import { renderYaml } from '../../output/yaml.ts';
import { EXAMPLES, exampleRule, type RuleExample } from './examples.ts';

/** @throws AppError for a name that no strategy has, with those that are like it */
export function findStrategy(name: string): Strategy {
  const wanted = name.toLowerCase();
  const found = strategies.find((strategy) => strategy.name.toLowerCase() === wanted);
  if (found) return found;
  const like = strategies.filter((strategy) => strategy.name.toLowerCase().includes(wanted));
  const names = (like.length > 0 ? like : strategies).map((strategy) => strategy.name).join(', ');
  throw new AppError(
    'NOT_FOUND',
    `there is no strategy ${name}; ${like.length > 0 ? 'like it' : 'there are'}: ${names}`,
  );
}

export function renderStrategies(): string {
  const rows = strategies.map(({ name, summary }) => [name, summary]);
  return renderTable([['STRATEGY', 'WHAT IT DOES'], ...rows]);
}

/** What a strategy is for, its parameters, and an example with what it does to an object. */
export async function renderReference(strategy: Strategy): Promise<string> {
  const { name, block, summary, domain } = strategy;
  const example = EXAMPLES[name];
  const rows = parametersOf(strategy).map(({ path, type, need }) => [path, type, need]);
  const parts = [
    `${name}: ${summary}\n`,
    `Comes back the same: ${domain}\n`,
    renderTable([['PARAMETER', 'TYPE', 'NEEDED'], ...rows]),
    'Any rule may also have `when: {path, equals}`, `acknowledgeLossy: true` and `reason`.\n',
  ];
  if (!example) return parts.join('\n');
  const rule = exampleRule(name, block, example);
  const { source, converted } = await convertExample(rule, example);
  const [from, to] = example.side === 'spoke' ? ['spoke', 'hub'] : ['hub', 'spoke'];
  const shown = [
    `Example:\n\n${indent(renderYaml([rule]))}`,
    `At the ${from}:\n\n${indent(renderYaml(source))}`,
    `At the ${to}:\n\n${indent(renderYaml(converted))}`,
  ];
  return [...parts, ...shown].join('\n');
}

async function convertExample(rule: JsonObject, { hub, spoke, object, side }: RuleExample) {
  const schema = (properties: JsonObject) => ({
    type: 'object',
    properties: { spec: { type: 'object', properties } },
  });
  const analysis = await analyse({
    hubVersion: 'v2',
    versions: [
      { name: 'v2', served: true, storage: true, schema: schema(hub) },
      { name: 'v1', served: true, storage: false, schema: schema(spoke) },
    ],
    spokes: [{ version: 'v1', rules: [rule] }],
  });
  const source = { metadata: { name: 'example' }, spec: object };
  const [from, to]: [string, string] = side === 'spoke' ? ['v1', 'v2'] : ['v2', 'v1'];
  return { source, converted: compile(analysis).convert(source, from, to, createRun('offline')) };
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

export interface Parameter {
  /** Below the strategy's key in a rule: `mapping[].hub`. */
  readonly path: string;
  readonly type: string;
  /** `yes`, `no`, or the default. */
  readonly need: string;
}

/** The parameters of a strategy, from its schema. */
export function parametersOf({ block, params }: Strategy): Parameter[] {
  const schema = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  return fieldsOf(schema, `${block}.`);
}

function fieldsOf(schema: JsonObject, prefix: string): Parameter[] {
  const properties = getOwn(schema, 'properties');
  if (!isObject(properties)) return [];
  const required = getOwn(schema, 'required');
  return Object.entries(properties).flatMap(([key, value]) => {
    const field = value as JsonObject;
    const preset = getOwn(field, 'default');
    const must = isArray(required) && required.includes(key);
    const need = preset === undefined ? (must ? 'yes' : 'no') : `no, ${JSON.stringify(preset)}`;
    const items = getOwn(field, 'items');
    const inner = isObject(items) ? fieldsOf(items, `${prefix}${key}[].`) : [];
    return [{ path: `${prefix}${key}`, type: typeOf(field), need }, ...inner];
  });
}

function typeOf(schema: JsonObject): string {
  const choices = getOwn(schema, 'enum');
  if (isArray(choices)) return choices.map(String).join(' | ');
  const type = getOwn(schema, 'type');
  const items = getOwn(schema, 'items');
  if (type === 'array') return `list of ${isObject(items) ? typeOf(items) : 'any'}`;
  if (typeof type === 'string') return type;
  const preset: Json | undefined = getOwn(schema, 'default');
  return isObject(preset) ? 'map' : 'any';
}
