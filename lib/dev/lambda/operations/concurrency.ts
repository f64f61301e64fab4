import type { GetAccountSettingsResponse, PutFunctionConcurrencyRequest } from '@aws-sdk/client-lambda';
import { MAX_UNZIPPED_BYTES } from '../code-store.ts';
import { type Context, getFunction } from '../context.ts';
import { invalid, violates } from '../errors.ts';
import { buildsOf } from '../model.ts';
import { usedCodeBytes } from './code.ts';
import { type Call, type Operation, parseBody, target } from './operation.ts';

/** What must stay for functions without a reservation. An account with a small limit has a smaller floor. */
const UNRESERVED_FLOOR = 100;
const ROUTE = '/2017-10-31/functions/{FunctionName}/concurrency';

export const concurrencyOperations: readonly Operation[] = [
  { name: 'PutFunctionConcurrency', route: `PUT ${ROUTE}`, status: 200, handle: putConcurrency },
  { name: 'DeleteFunctionConcurrency', route: `DELETE ${ROUTE}`, status: 204, handle: deleteConcurrency },
  {
    name: 'GetFunctionConcurrency',
    route: 'GET /2019-09-30/functions/{FunctionName}/concurrency',
    status: 200,
    handle: readConcurrency,
  },
  { name: 'GetAccountSettings', route: 'GET /2016-08-19/account-settings', status: 200, handle: readAccount },
];

function putConcurrency(call: Call, context: Context) {
  const { ReservedConcurrentExecutions: reserved } = parseBody<PutFunctionConcurrencyRequest>(call);
  if (reserved === undefined || !Number.isInteger(reserved) || reserved < 0) {
    const rule = 'Member must have value greater than or equal to 0';
    throw violates(`${reserved ?? null}`, 'reservedConcurrentExecutions', rule);
  }
  const fn = getFunction(context, target(call).name);
  const floor = Math.min(UNRESERVED_FLOOR, context.limits.concurrency);
  // 0 takes nothing from the others, so it is never refused.
  if (reserved > 0 && unreserved(context) + (fn.reserved ?? 0) - reserved < floor) {
    const what = "decreases account's UnreservedConcurrentExecution below its minimum value";
    throw invalid(`Specified ReservedConcurrentExecutions for function ${what} of [${floor}].`);
  }
  fn.reserved = reserved;
  // A stopped function needs no process.
  context.sandboxes.retire(fn.name, reserved === 0 ? new Set() : buildsOf(fn));
  return { ReservedConcurrentExecutions: reserved };
}

function deleteConcurrency(call: Call, context: Context): void {
  delete getFunction(context, target(call).name).reserved;
}

function readConcurrency(call: Call, context: Context) {
  return { ReservedConcurrentExecutions: getFunction(context, target(call).name).reserved };
}

function unreserved({ functions, limits }: Context): number {
  return [...functions.values()].reduce((left, { reserved = 0 }) => left - reserved, limits.concurrency);
}

function readAccount(_call: Call, context: Context): GetAccountSettingsResponse {
  return {
    AccountLimit: {
      TotalCodeSize: context.limits.codeBytes,
      CodeSizeUnzipped: MAX_UNZIPPED_BYTES,
      CodeSizeZipped: 52_428_800,
      ConcurrentExecutions: context.limits.concurrency,
      UnreservedConcurrentExecutions: unreserved(context),
    },
    AccountUsage: { TotalCodeSize: usedCodeBytes(context), FunctionCount: context.functions.size },
  };
}
