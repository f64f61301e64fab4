import type { HookReport } from '../aws/code-deploy.ts';
import { createFunctionUrlEvent } from '../aws/function-url-event.ts';
import type { Invoked } from '../aws/lambda.ts';
import type { FunctionUrlEvent } from '../http/function-url.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import { type Answer, fieldOf, quote, readJson } from './answer.ts';
import type { Deployed } from './deployed.ts';
import { PROBES, type Probe } from './probes.ts';

/** What CodeDeploy sends to a hook of a Lambda deployment. (AWS CodeDeploy User Guide, AppSpec "hooks" section.) */
export interface HookEvent {
  readonly DeploymentId?: string;
  readonly LifecycleEventHookExecutionId?: string;
}

export interface PreTrafficOptions {
  /** The function whose new version is checked. */
  readonly deployed: Deployed;
  /** Invokes the new version; ends when the signal says so. */
  readonly invoke: (event: FunctionUrlEvent, signal: AbortSignal) => Promise<Invoked>;
  /** Tells CodeDeploy. */
  readonly report: (report: HookReport) => Promise<void>;
  /** Resolves after so many milliseconds. */
  readonly delay: (ms: number) => Promise<void>;
  readonly clock: { now(): number };
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * A cold start (2 s) and a read of a table that hangs (9 s) take 11 s, and the answer then says what is wrong. The three
 * probes of `api`, 60 s at most, and the report, five attempts of 3 s, are under the two minutes that the hook has.
 */
const INVOKE_BUDGET_MS = 20_000;

/** What to do about refusals of the Lambda API, by the name of the error. */
const HINTS: Readonly<Record<string, string>> = {
  AccessDeniedException: 'the role of the hook may not invoke it',
  ResourceConflictException: 'it is not active yet; deploy again',
  TooManyRequestsException: 'no concurrency is left for it: raise the reservation or the limit of the account',
};

/**
 * The hook that CodeDeploy calls before a new version gets traffic: it asks the version itself, and reports `Succeeded`
 * or `Failed`. It reports whatever happens, for a hook that does not holds the deployment up for an hour; rejects only
 * when there is nothing to report to, or reporting fails.
 */
export function createPreTrafficHook(options: PreTrafficOptions): (event: HookEvent) => Promise<void> {
  const { deployed, report, log } = options;
  return async (event) => {
    const { DeploymentId: deploymentId, LifecycleEventHookExecutionId: executionId } = event;
    if (!deploymentId || !executionId) {
      throw new Error('the event has no DeploymentId or no LifecycleEventHookExecutionId: CodeDeploy did not send it');
    }
    let failures = 0;
    for (const probe of PROBES[deployed]) {
      const request = `${probe.method} ${probe.path}`;
      const reason = await ask(probe, options);
      if (reason === undefined) {
        log.info('pre-traffic check passed', { deployed, request, deployment_id: deploymentId });
      } else {
        failures += 1;
        log.error('pre-traffic check failed', { deployed, request, deployment_id: deploymentId, reason });
      }
    }
    await report({ deploymentId, executionId, status: failures === 0 ? 'Succeeded' : 'Failed' });
  };
}

/** Undefined when the version gives the right answer, else why not. Never rejects. */
async function ask(
  { method, path, headers, body, judge }: Probe,
  options: PreTrafficOptions,
): Promise<string | undefined> {
  try {
    const { clock, newId } = options;
    const id = newId();
    const content = body && { body: { text: body(id) } };
    const event = createFunctionUrlEvent({ method, path, headers, requestId: id, now: clock.now(), ...content });
    const invoked = await invokeInTime(event, options);
    if (typeof invoked === 'string') return invoked;
    if (invoked.functionError !== undefined) return describeCrash(invoked.functionError, invoked.payload);
    const answer = readResult(invoked.payload);
    return answer ? judge(id, answer) : `its result is no HTTP answer (${invoked.payload.length} characters)`;
  } catch (error) {
    options.log.error('pre-traffic check crashed', describeError(error));
    return 'the check itself crashed';
  }
}

async function invokeInTime(event: FunctionUrlEvent, { invoke, delay }: PreTrafficOptions): Promise<Invoked | string> {
  const controller = new AbortController();
  const late = delay(INVOKE_BUDGET_MS).then(() => `no answer within ${INVOKE_BUDGET_MS / 1000} s`);
  try {
    return await Promise.race([invoke(event, controller.signal), late]);
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return `it could not be invoked: ${HINTS[name] ?? 'the Lambda API refused'} (${name}${quote(message)})`;
  } finally {
    controller.abort();
  }
}

/** The texts may be told: all that the version was given is the recorded request. */
function describeCrash(functionError: string, payload: string): string {
  const error = readJson(payload);
  const [type, message] = [fieldOf(error, 'errorType'), fieldOf(error, 'errorMessage')];
  return `it crashed (${functionError}${quote(type)})${quote(message)}`;
}

function readResult(payload: string): Answer | undefined {
  const result = readJson(payload);
  const [status, body] = [fieldOf(result, 'statusCode'), fieldOf(result, 'body')];
  if (typeof status !== 'number' || typeof body !== 'string') return undefined;
  const base64 = fieldOf(result, 'isBase64Encoded') === true;
  return { status, body: base64 ? Buffer.from(body, 'base64').toString() : body };
}
