import type { UrlState } from './runtime.ts';

type Permissions = UrlState['permissions'];

/** What a public URL needs in the policy of its alias, as AddPermission takes it (R12). */
export const URL_PERMISSIONS = Object.freeze({
  invokeFunctionUrl: {
    StatementId: 'roundhouse-url',
    Action: 'lambda:InvokeFunctionUrl',
    Principal: '*',
    FunctionUrlAuthType: 'NONE',
  },
  invokeFunction: {
    StatementId: 'roundhouse-url-invoke',
    Action: 'lambda:InvokeFunction',
    Principal: '*',
    InvokedViaFunctionUrl: true,
  },
} as const);

/** Under which a request through a public URL comes; a statement with any other condition does not count on it. */
const CONDITIONS: Readonly<
  Record<keyof Permissions, { readonly operator: string; readonly key: string; readonly value: string }>
> = {
  invokeFunctionUrl: { operator: 'StringEquals', key: 'lambda:FunctionUrlAuthType', value: 'NONE' },
  invokeFunction: { operator: 'Bool', key: 'lambda:InvokedViaFunctionUrl', value: 'true' },
};

interface Statement {
  readonly Sid?: string;
  readonly Effect?: string;
  readonly Principal?: unknown;
  readonly Action?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Which of the two permissions a policy (JSON; undefined when there is none) gives to everybody. */
export function judgePolicy(policy: string | undefined): Permissions {
  const statements = statementsOf(policy);
  const has = (name: keyof Permissions) => statements.some((statement) => grants(statement, name));
  return { invokeFunctionUrl: has('invokeFunctionUrl'), invokeFunction: has('invokeFunction') };
}

export function hasStatement(policy: string | undefined, id: string): boolean {
  return statementsOf(policy).some(({ Sid }) => Sid === id);
}

function statementsOf(policy: string | undefined): Statement[] {
  return policy === undefined ? [] : (listOf((JSON.parse(policy) as { Statement?: unknown }).Statement) as Statement[]);
}

function grants({ Effect, Principal, Action, Condition = {} }: Statement, name: keyof Permissions): boolean {
  const { operator, key, value } = CONDITIONS[name];
  const wanted = [URL_PERMISSIONS[name].Action, 'lambda:*', '*'];
  const everybody = [Principal, (Principal as { AWS?: unknown } | undefined)?.AWS].some((who) =>
    listOf(who).includes('*'),
  );
  const fits = Object.entries(Condition).every(
    ([found, keys]) =>
      found === operator &&
      Object.entries(keys).every(([each, is]) => each === key && listOf(is).map(String).includes(value)),
  );
  return Effect === 'Allow' && everybody && listOf(Action).some((action) => wanted.includes(String(action))) && fits;
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
