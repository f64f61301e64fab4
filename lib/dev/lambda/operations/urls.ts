import type { CreateFunctionUrlConfigRequest, CreateFunctionUrlConfigResponse } from '@aws-sdk/client-lambda';
import { type Context, getFunction } from '../context.ts';
import { conflict, notFound, violates } from '../errors.ts';
import { LATEST, type UrlRecord } from '../model.ts';
import { checkAliasName, functionArn } from '../names.ts';
import { type Call, type Operation, parseBody, target } from './operation.ts';

const ROUTE = '/2021-10-31/functions/{FunctionName}/url';

export const urlOperations: readonly Operation[] = [
  { name: 'CreateFunctionUrlConfig', route: `POST ${ROUTE}`, status: 201, handle: createUrl },
  { name: 'GetFunctionUrlConfig', route: `GET ${ROUTE}`, status: 200, handle: readUrl },
  { name: 'DeleteFunctionUrlConfig', route: `DELETE ${ROUTE}`, status: 204, handle: deleteUrl },
];

async function createUrl(call: Call, context: Context): Promise<CreateFunctionUrlConfigResponse> {
  const input = parseBody<CreateFunctionUrlConfigRequest>(call);
  const { AuthType: authType } = input;
  if (authType !== 'NONE' && authType !== 'AWS_IAM') {
    throw violates(`${authType ?? null}`, 'authType', 'Member must satisfy enum value set: [NONE, AWS_IAM]');
  }
  const { name, qualifier, key } = place(call);
  const fn = getFunction(context, name);
  if (qualifier !== undefined && qualifier !== LATEST && !Object.hasOwn(fn.aliases, qualifier)) {
    throw notFound('Function does not exist');
  }
  if (fn.urls[key] !== undefined) {
    const arn = functionArn(context, name, qualifier);
    const reason = 'Error message:  FunctionUrlConfig exists for this Lambda function';
    throw conflict(`Failed to create function url config for [functionArn = ${arn}]. ${reason}`);
  }
  const url: UrlRecord = {
    authType,
    createdAt: context.clock.now(),
    invokeMode: input.InvokeMode ?? 'BUFFERED',
    port: await context.urls.open(name, key, 0),
    ...(input.Cors && { cors: input.Cors }),
  };
  fn.urls[key] = url;
  return render(context, name, qualifier, url);
}

function readUrl(call: Call, context: Context) {
  const { name, qualifier, key } = place(call);
  const url = context.functions.get(name)?.urls[key];
  if (url === undefined) throw notFound('The resource you requested does not exist.');
  return { ...render(context, name, qualifier, url), LastModifiedTime: new Date(url.createdAt).toISOString() };
}

async function deleteUrl(call: Call, context: Context): Promise<void> {
  const { name, key } = place(call);
  const fn = context.functions.get(name);
  if (fn?.urls[key] === undefined) throw notFound('The resource you requested does not exist.');
  await context.urls.close(name, key);
  delete fn.urls[key];
}

/** A URL belongs to the function or to an alias, never to a version. */
function place(call: Call) {
  const { name, qualifier } = target(call);
  if (qualifier !== undefined && qualifier !== LATEST) checkAliasName(qualifier, 'qualifier');
  return { name, qualifier, key: qualifier ?? LATEST };
}

/** AWS has `https://<id>.lambda-url.<region>.on.aws/` there. */
function render(context: Context, name: string, qualifier: string | undefined, url: UrlRecord) {
  return {
    FunctionUrl: `http://127.0.0.1:${url.port}/`,
    FunctionArn: functionArn(context, name, qualifier),
    AuthType: url.authType,
    CreationTime: new Date(url.createdAt).toISOString(),
    InvokeMode: url.invokeMode,
    ...(url.cors && { Cors: url.cors }),
  };
}
