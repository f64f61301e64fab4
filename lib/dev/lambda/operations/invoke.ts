import { Buffer } from 'node:buffer';
import type { Context, InvokeOutcome, Resolved } from '../context.ts';
import { begin, resolve } from '../context.ts';
import { conflict, invalid, LambdaError } from '../errors.ts';
import { type Call, type Operation, Reply, target } from './operation.ts';

/** Lambda's limit for a synchronous call: 6 MB. */
const MAX_PAYLOAD_BYTES = 6_291_456;
/** So much of the log comes with an answer. */
const LOG_TAIL_BYTES = 4_096;

export const invokeOperations: readonly Operation[] = [
  {
    name: 'Invoke',
    route: 'POST /2015-03-31/functions/{FunctionName}/invocations',
    status: 200,
    handle: invoke,
  },
];

async function invoke(call: Call, context: Context): Promise<Reply> {
  const { name, qualifier } = target(call);
  const type = call.headers['x-amz-invocation-type'] ?? 'RequestResponse';
  const payload = readPayload(call.body);
  const found = resolve(context, name, qualifier);
  if (type === 'DryRun') return new Reply(204, {}, '');
  if (type !== 'RequestResponse') throw invalid(`Invocation type ${type} is not supported by the emulator.`);
  const outcome = await run(context, found, payload, call.fault?.rule.kind === 'crash');
  const tail = Buffer.from(outcome.log).subarray(-LOG_TAIL_BYTES);
  return new Reply(
    200,
    {
      'content-type': 'application/json',
      'x-amz-executed-version': found.version.config.Version ?? '',
      ...(outcome.functionError && { 'x-amz-function-error': outcome.functionError }),
      ...(call.headers['x-amz-log-type'] === 'Tail' && { 'x-amz-log-result': tail.toString('base64') }),
    },
    outcome.payload,
  );
}

/** @throws LambdaError when the version is in no state to run, or nothing is free to run it */
export function run(context: Context, found: Resolved, payload: string, crash: boolean): Promise<InvokeOutcome> {
  const { fn, version, arn } = found;
  const { State: state } = version.config;
  if (state !== 'Active') {
    if (state === 'Inactive') {
      version.config = { ...version.config, State: 'Pending', StateReasonCode: 'Restoring' };
      version.pending = begin(context, undefined);
    }
    const what = 'The operation cannot be performed at this time. The function is currently in the following state';
    throw conflict(`${what}: ${state}`);
  }
  return context.sandboxes.invoke({ fn, version, arn, payload, crash });
}

function readPayload(body: Buffer): string {
  if (body.length > MAX_PAYLOAD_BYTES) {
    const limit = `for the RequestResponse invocation type (limit ${MAX_PAYLOAD_BYTES} bytes)`;
    throw new LambdaError('RequestTooLargeException', `${body.length} byte payload is too large ${limit}`);
  }
  const text = body.length === 0 ? '{}' : body.toString();
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new LambdaError('InvalidRequestContentException', `Could not parse request body into json: ${reason}`);
  }
  return text;
}
