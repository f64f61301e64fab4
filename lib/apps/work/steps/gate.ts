import { createFunctionUrlEvent } from '../../../aws/function-url-event.ts';
import { type Invocation, RuntimeError } from '../../runtime/runtime.ts';
import { excerptOf } from '../excerpt.ts';
import { type Answer, readInvocation } from '../invocation.ts';
import { untilActive } from '../settle.ts';
import { AttemptFailed } from '../signals.ts';
import type { StepContext, StepResult } from '../step.ts';

/** The defaults of a readiness probe, for an app that has none. */
const PROBE = { path: '/', intervalMs: 2_000, timeoutMs: 10_000, budgetMs: 60_000 };
/** What a call may leave of the message's time. */
const MARGIN_MS = 5_000;
/** So much is kept free behind the deadline of a message. */
const BEHIND_MS = 15_000;

/** Asks the new version itself, before it gets traffic. (R28) */
export async function gate(context: StepContext): Promise<StepResult> {
  const { deps, app, memo } = context;
  const { version = '' } = context.attempt();
  await untilActive(context, version);
  memo.gateStatus = await untilReady(context, version);
  const previousVersion = (await deps.runtime.findAlias(app().name))?.version;
  return { attempt: (attempt) => ({ ...attempt, ...(previousVersion !== undefined && { previousVersion }) }) };
}

/** @returns the status that it answered */
async function untilReady(context: StepContext, version: string): Promise<number> {
  const { settings } = context.attempt();
  const { path, intervalMs, budgetMs } = settings.readiness ?? PROBE;
  for (let tries = 1; ; tries += 1) {
    const answer = await ask(context, version);
    if (isReady(answer, settings.readiness !== undefined)) {
      context.tell('gate', `GET ${path} answered ${answer.status} at try ${tries}`);
      return answer.status;
    }
    context.tell('gate', `GET ${path}: ${answer.problem ?? `answered ${answer.status}`}, ${tries} tries`);
    const over = context.elapsedMs() + intervalMs > budgetMs;
    if (answer.fatal || over)
      throw verdict(answer, `GET ${path}`, settings.env, over && !answer.fatal ? budgetMs : undefined);
    await context.pause(intervalMs);
  }
}

/** With a readiness path 2xx is asked for; without one the app must only not fail at `/`. */
function isReady({ status, problem }: Answer, declared: boolean): boolean {
  return problem === undefined && (declared ? status >= 200 && status < 300 : status < 500);
}

export async function ask({ deps, app, attempt, deadline }: StepContext, version: string): Promise<Answer> {
  const { path, timeoutMs } = attempt().settings.readiness ?? PROBE;
  const now = deps.clock.now();
  const event = createFunctionUrlEvent({
    method: 'GET',
    ...pathOf(path),
    headers: { 'user-agent': 'roundhouse-gate/1', accept: '*/*' },
    requestId: deps.ids(),
    now,
  });
  const limitMs = Math.max(1_000, Math.min(timeoutMs, deadline + BEHIND_MS - MARGIN_MS - now));
  let invocation: Invocation;
  try {
    invocation = await deps.runtime.invoke(app().name, version, event, limitMs);
  } catch (error) {
    return refusal(error);
  }
  return readInvocation(invocation);
}

export function pathOf(target: string): { path: string; rawQuery: string } {
  const [path = '/', rawQuery = ''] = target.split('?', 2);
  return { path, rawQuery };
}

/** Refusals that a later try may not meet count as answers; others end the step. */
function refusal(error: unknown): Answer {
  if (!(error instanceof RuntimeError)) throw error;
  const answer = { status: 0, problem: error.message, fatal: false, excerpt: '' };
  if (error.code === 'throttled' || error.code === 'concurrency_exhausted')
    return { ...answer, code: 'concurrency_exhausted' };
  if (error.code === 'unavailable' || error.code === 'conflict') return { ...answer, code: 'health_check_failed' };
  throw error;
}

function verdict(
  answer: Answer,
  what: string,
  env: Readonly<Record<string, string>>,
  budgetMs?: number,
): AttemptFailed {
  const said = answer.problem ?? `answered ${answer.status}`;
  const within = budgetMs === undefined ? '' : ` within ${budgetMs / 1_000} s`;
  const cause = `The new version did not pass${within}: ${what}: ${said}. It got no traffic.`;
  return new AttemptFailed(answer.code ?? 'health_check_failed', cause, excerptOf(answer.excerpt, env));
}
