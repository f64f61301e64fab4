import type { Json } from './json.ts';
import { showValue } from './values/value-error.ts';

/** A value as a message shows it: JSON text cut at 64 characters; containers by their type. */
export function show(value: Json | undefined): string {
  return value === undefined ? 'nothing' : showValue(value);
}

/** Why one rule cannot convert one value; {@link ConversionError} adds which rule and where. */
export class RuleError extends Error {
  /** Where below the rule's own path the fault lies, such as `[2].size`. */
  readonly at: string;

  constructor(message: string, at = '', options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuleError';
    this.at = at;
  }
}

/** An object that cannot be converted: `rule 7 EnumRemap at spec.size: value "XL" is not mapped`. */
export class ConversionError extends Error {
  readonly rule: number | undefined;
  readonly strategy: string | undefined;
  readonly path: string | undefined;

  constructor(detail: string, where: { rule?: number; strategy?: string; path?: string } = {}, options?: ErrorOptions) {
    const rule = where.rule === undefined ? '' : `rule ${where.rule} ${where.strategy} at ${where.path || '(root)'}: `;
    super(`${rule}${detail}`, options);
    this.name = 'ConversionError';
    this.rule = where.rule;
    this.strategy = where.strategy;
    this.path = where.path;
  }
}
