import type { AddPermissionRequest } from '@aws-sdk/client-lambda';
import { type Context, newRevision, resolve } from '../context.ts';
import { conflict, invalid, notFound, preconditionFailed, violates } from '../errors.ts';
import { type FunctionRecord, LATEST, type Statement } from '../model.ts';
import { type Call, type Operation, parseBody, target } from './operation.ts';

const ROUTE = '/2015-03-31/functions/{FunctionName}/policy';
const STATEMENT_ID = /^[\w-]{1,100}$/;

export const policyOperations: readonly Operation[] = [
  { name: 'AddPermission', route: `POST ${ROUTE}`, status: 201, handle: addPermission },
  { name: 'GetPolicy', route: `GET ${ROUTE}`, status: 200, handle: readPolicy },
  { name: 'RemovePermission', route: `DELETE ${ROUTE}/{StatementId}`, status: 204, handle: removePermission },
];

function addPermission(call: Call, context: Context) {
  const input = parseBody<AddPermissionRequest>(call);
  const { StatementId: id = '', Action: action = '' } = input;
  if (!STATEMENT_ID.test(id)) {
    throw violates(id, 'statementId', 'Member must satisfy regular expression pattern: ([a-zA-Z0-9-_]+)');
  }
  if (!/^lambda:(\*|[A-Za-z]+)$/.test(action)) {
    throw violates(
      action,
      'action',
      'Member must satisfy regular expression pattern: (lambda:[*]|lambda:[a-zA-Z]+|[*])',
    );
  }
  if (input.FunctionUrlAuthType !== undefined && action !== 'lambda:InvokeFunctionUrl') {
    throw invalid('FunctionUrlAuthType is only supported for lambda:InvokeFunctionUrl action');
  }
  if (input.InvokedViaFunctionUrl !== undefined && action !== 'lambda:InvokeFunction') {
    throw invalid('InvokedViaFunctionUrl is only supported for lambda:InvokeFunction action');
  }
  const { fn, key, arn } = find(call, context, input.RevisionId);
  const statements = fn.policies[key] ?? [];
  if (statements.some(({ Sid }) => Sid === id)) {
    const hint = 'Please provide a new statement id, or remove the existing statement.';
    throw conflict(`The statement id (${id}) provided already exists. ${hint}`);
  }
  const statement = renderStatement(input, arn);
  fn.policies[key] = [...statements, statement];
  renew(fn, key);
  return { Statement: JSON.stringify(statement) };
}

function renderStatement(input: Partial<AddPermissionRequest>, arn: string): Statement {
  const { Principal: principal = '*', FunctionUrlAuthType: authType, InvokedViaFunctionUrl: viaUrl } = input;
  const condition = {
    ...(authType && { StringEquals: { 'lambda:FunctionUrlAuthType': authType } }),
    ...(viaUrl !== undefined && { Bool: { 'lambda:InvokedViaFunctionUrl': `${viaUrl}` } }),
    ...(input.SourceArn && { ArnLike: { 'AWS:SourceArn': input.SourceArn } }),
  };
  return {
    Sid: input.StatementId ?? '',
    Effect: 'Allow',
    Principal: renderPrincipal(principal),
    Action: input.Action ?? '',
    Resource: arn,
    ...(Object.keys(condition).length > 0 && { Condition: condition }),
  };
}

function renderPrincipal(principal: string): Statement['Principal'] {
  if (principal === '*') return principal;
  if (/^\d{12}$/.test(principal)) return { AWS: `arn:aws:iam::${principal}:root` };
  return principal.startsWith('arn:') ? { AWS: principal } : { Service: principal };
}

function readPolicy(call: Call, context: Context) {
  const { fn, key, revisionId } = find(call, context, undefined);
  const statements = fn.policies[key] ?? [];
  if (statements.length === 0) throw notFound('The resource you requested does not exist.');
  return {
    Policy: JSON.stringify({ Version: '2012-10-17', Id: 'default', Statement: statements }),
    RevisionId: revisionId,
  };
}

function removePermission(call: Call, context: Context): void {
  const { fn, key } = find(call, context, call.query.get('RevisionId') ?? undefined);
  const id = call.params['StatementId'];
  const statements = fn.policies[key] ?? [];
  const left = statements.filter(({ Sid }) => Sid !== id);
  if (left.length === statements.length) throw notFound(`Statement ${id} is not found in resource policy.`);
  fn.policies[key] = left;
  renew(fn, key);
}

function find(call: Call, context: Context, expected: string | undefined) {
  const { name, qualifier } = target(call);
  if (qualifier === LATEST) throw invalid('We currently do not support adding policies for $LATEST.');
  const { fn, version, alias, arn } = resolve(context, name, qualifier);
  const revisionId = alias?.revisionId ?? version.config.RevisionId;
  if (expected !== undefined && expected !== revisionId) throw preconditionFailed();
  return { fn, arn, key: qualifier ?? LATEST, revisionId };
}

/** A change of its policy gives an alias or a version another revision. */
function renew(fn: FunctionRecord, key: string): void {
  const alias = fn.aliases[key];
  if (alias !== undefined) alias.revisionId = newRevision();
  const version = key === LATEST ? fn.latest : fn.versions[key];
  if (version !== undefined) version.config = { ...version.config, RevisionId: newRevision() };
}

/** Both permissions that anybody needs to call a URL without authentication, since October 2025. */
export function isPublic(fn: FunctionRecord, key: string): boolean {
  const statements = (fn.policies[key] ?? []).filter(({ Principal }) => Principal === '*');
  const allows = (action: string, test: (condition: Statement['Condition']) => boolean) =>
    statements.some(({ Action, Condition }) => (Action === action || Action === 'lambda:*') && test(Condition));
  return (
    allows('lambda:InvokeFunctionUrl', (condition) => {
      const type = condition?.['StringEquals']?.['lambda:FunctionUrlAuthType'];
      return type === undefined || type === 'NONE';
    }) &&
    allows('lambda:InvokeFunction', (condition) => condition?.['Bool']?.['lambda:InvokedViaFunctionUrl'] !== 'false')
  );
}
