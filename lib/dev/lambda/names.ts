import { violates } from './errors.ts';
import { LATEST } from './model.ts';

/** A function as calls name it: by name, partial or whole ARN, each with or without a qualifier. */
export interface FunctionName {
  readonly name: string;
  readonly qualifier?: string;
}

const NAME = /^(?:arn:aws[\w-]*:lambda:[a-z\d-]+:)?(?:\d{12}:)?(?:function:)?([\w-]{1,64})(?::(\$LATEST|[\w-]+))?$/;
const NAME_RULE =
  '(arn:(aws[a-zA-Z-]*)?:lambda:)?([a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\\d{1}:)?(\\d{12}:)?(function:)?' +
  '([a-zA-Z0-9-_]+)(:(\\$LATEST|[a-zA-Z0-9-_]+))?';
const ALIAS = /^(?!\d+$)[\w-]{1,128}$/;
const ALIAS_RULE = '(?!^[0-9]+$)([a-zA-Z0-9-_]+)';

export function parseFunctionName(text: string): FunctionName {
  const [, name, qualifier] = NAME.exec(text) ?? [];
  if (name === undefined) {
    throw violates(text, 'functionName', `Member must satisfy regular expression pattern: ${NAME_RULE}`);
  }
  return { name, ...(qualifier !== undefined && { qualifier }) };
}

/** @throws LambdaError ValidationException */
export function checkAliasName(name: string, member = 'name'): void {
  if (!ALIAS.test(name)) throw violates(name, member, `Member must satisfy regular expression pattern: ${ALIAS_RULE}`);
}

export function isVersion(qualifier: string): boolean {
  return qualifier === LATEST || /^\d+$/.test(qualifier);
}

export interface Place {
  readonly region: string;
  readonly accountId: string;
}

export function functionArn({ region, accountId }: Place, name: string, qualifier?: string): string {
  const base = `arn:aws:lambda:${region}:${accountId}:function:${name}`;
  return qualifier === undefined ? base : `${base}:${qualifier}`;
}
