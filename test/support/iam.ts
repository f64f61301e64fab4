/** A statement of an identity policy, with every value resolved to text. */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface IamRequest {
  /** `dynamodb:GetItem`. */
  readonly action: string;
  /** ARN. */
  readonly resource: string;
  /** Values of the condition keys that the request has. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** What intrinsic functions of a template stand for: `Ref` by name (`AWS::Region`), `Fn::GetAtt` as `<logical id>.<attribute>`. */
export type Resolved = Readonly<Record<string, string>>;

const STATEMENT_KEYS = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Condition']);
const CONDITION_KEYS = new Set([
  ...['dynamodb:LeadingKeys', 'kms:ViaService', 'iam:PermissionsBoundary', 'iam:PassedToService'],
  'aws:ResourceTag/roundhouse:stage',
]);

type Test = (wanted: readonly string[], values: readonly string[]) => boolean;

/** The condition operators that our policies use, as IAM judges them. `values` is empty for a key that is not there. */
const OPERATORS: Readonly<Record<string, Test>> = {
  // True without values, as in AWS: that is why `Null` must stand beside it.
  'ForAllValues:StringLike': (wanted, values) =>
    values.every((value) => wanted.some((pattern) => isLike(pattern, value))),
  StringEquals: (wanted, values) => values.length === 1 && wanted.includes(values[0] ?? ''),
  Null: (wanted, values) => wanted.includes(String(values.length === 0)),
};

/**
 * What the policies of a role say, those in it and those that are attached to it.
 * @throws for anything that this evaluator does not understand: a policy must not pass because a part of it was ignored
 */
export function statementsOf(template: any, roleId: string, resolved: Resolved): Statement[] {
  const { Type, Properties: role = {} } = template.Resources[roleId] ?? {};
  if (Type !== 'AWS::IAM::Role') throw new Error(`${roleId} is no role of the template`);
  if (role.ManagedPolicyArns !== undefined) throw new Error(`${roleId} has managed policies, which are not known here`);
  const attached = Object.values<any>(template.Resources)
    .filter(({ Properties }) => Properties?.Roles?.some((other: any) => other?.Ref === roleId))
    .map(({ Properties }) => Properties);
  return [...(role.Policies ?? []), ...attached]
    .flatMap(({ PolicyDocument }) => asList(PolicyDocument.Statement))
    .map((raw) => readStatement(raw, resolved));
}

/** What a managed policy of the template says. */
export function managedStatementsOf(template: any, policyId: string, resolved: Resolved): Statement[] {
  const { Type, Properties } = template.Resources[policyId] ?? {};
  if (Type !== 'AWS::IAM::ManagedPolicy') throw new Error(`${policyId} is no managed policy of the template`);
  return asList(Properties.PolicyDocument.Statement).map((raw) => readStatement(raw, resolved));
}

/** Whether a role with these statements may do it: some statement allows it, and none denies it. */
export function isAllowed(statements: readonly Statement[], request: IamRequest): boolean {
  const matching = statements.filter((statement) => matches(statement, request));
  return matching.length > 0 && matching.every(({ Effect }) => Effect === 'Allow');
}

function matches({ Action, Resource, Condition }: Statement, { action, resource, context }: IamRequest): boolean {
  return (
    Action.some((pattern) => isLike(pattern.toLowerCase(), action.toLowerCase())) &&
    Resource.some((pattern) => isLike(fillIn(pattern, context), resource)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => OPERATORS[operator]?.(wanted, context[key] ?? []) === true),
    )
  );
}

function readStatement(raw: any, resolved: Resolved): Statement {
  const unknown = Object.keys(raw).filter((key) => !STATEMENT_KEYS.has(key));
  if (unknown.length > 0) throw new Error(`a statement has ${unknown.join(', ')}, which this evaluator does not know`);
  if (raw.Effect !== 'Allow' && raw.Effect !== 'Deny') throw new Error(`a statement has the effect ${raw.Effect}`);
  const texts = (value: unknown) => asList(value).map((entry) => resolve(entry, resolved));
  const conditions = Object.entries<any>(raw.Condition ?? {}).map(([operator, keys]) => {
    if (!Object.hasOwn(OPERATORS, operator)) throw new Error(`the condition operator ${operator} is not known`);
    const read = Object.entries(keys).map(([key, wanted]) => {
      if (!CONDITION_KEYS.has(key)) throw new Error(`the condition key ${key} is not known`);
      return [key, texts(wanted)];
    });
    return [operator, Object.fromEntries(read)];
  });
  return {
    ...(raw.Sid !== undefined && { Sid: raw.Sid }),
    Effect: raw.Effect,
    Action: texts(raw.Action),
    Resource: texts(raw.Resource),
    Condition: Object.fromEntries(conditions),
  };
}

function resolve(value: any, resolved: Resolved): string {
  if (typeof value === 'string') return value;
  if (value?.['Fn::Join'] !== undefined) {
    const [separator, parts] = value['Fn::Join'];
    return parts.map((part: unknown) => resolve(part, resolved)).join(separator);
  }
  const name = value?.Ref ?? value?.['Fn::GetAtt']?.join('.');
  const text = name === undefined ? undefined : resolved[name];
  if (text === undefined) throw new Error(`nothing says what ${JSON.stringify(value)} is`);
  return text;
}

/** Puts the values of policy variables in. One that has no value is like nothing. */
function fillIn(pattern: string, context: IamRequest['context']): string {
  return pattern.replace(/\$\{([^}]+)\}/g, (_variable, key: string) => context[key]?.[0] ?? '\0');
}

/** IAM's `StringLike`: `*` is any text, `?` is one character. */
function isLike(pattern: string, text: string): boolean {
  const parts = pattern.split(/([*?])/).map((part) => (part === '*' ? '.*' : part === '?' ? '.' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('')}$`, 's').test(text);
}

function asList(value: any): any[] {
  return Array.isArray(value) ? value : [value];
}
