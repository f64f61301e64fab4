import { AppError } from '../../errors.ts';
import { type AppRecord, type Attempt, STEPS, type Step, type StepRecord } from '../model.ts';
import { type AppChange, AppChanged } from '../records.ts';
import { pauseMs } from './backoff.ts';
import { judged } from './conditions.ts';
import { endedWith, endedWithout } from './ending.ts';
import { redact } from './excerpt.ts';
import { failureOf } from './failure.ts';
import { Later, LeaseLost, OutOfTime, Replaced } from './signals.ts';
import { createContext, type StepContext, type StepResult } from './step.ts';
import { goBack } from './steps/shift.ts';
import { STEP_RUNS } from './steps/table.ts';
import { isPastGate, nextTask } from './tasks.ts';
import { budgetOf } from './transient.ts';
import type { Visit } from './visit.ts';

/** Runs the step that the attempt is at, to its end or to the attempt's. */
export async function runStep(visit: Visit): Promise<void> {
  const { deps, session } = visit;
  const attemptId = session.app().attempt?.id ?? '';
  if (runningStep(session.app().attempt) === undefined) {
    await session.save((app) => begun(app, attemptId, deps.clock.now()));
    // Somebody may have asked for something else in between.
    if (nextTask(session.app()) !== 'step') return;
  }
  const context = createContext({ ...visit, attemptId });
  const step = runningStep(context.attempt());
  if (step === undefined) return;
  try {
    const result = await untilDone(context, step);
    await finish(context, result);
  } catch (error) {
    if (isSignal(error)) throw error;
    await fail(context, error);
  }
}

/** The step again and again, as long as what stops it passes by itself. */
async function untilDone(context: StepContext, step: Step): Promise<StepResult> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await STEP_RUNS[step](context);
    } catch (error) {
      const budget = budgetOf(error);
      if (budget === undefined || context.elapsedMs() >= budget) throw error;
      const { code, message } = error as Error & { code: string };
      context.tell(code, `${code}: tried again ${tries + 1} times`);
      await pauseOrLeave(context, tries, message);
    }
  }
}

async function pauseOrLeave(context: StepContext, tries: number, reason: string): Promise<void> {
  try {
    await context.pause(pauseMs(tries, context.deps.random));
  } catch (error) {
    throw error instanceof OutOfTime ? new Later(redact(reason, context.attempt().settings.env)) : error;
  }
}

/** Writes the end of a step, and with it the begin of the next one, if nothing was asked for in between. */
async function finish(context: StepContext, result: StepResult): Promise<void> {
  const { deps, session } = context;
  const now = deps.clock.now();
  const detail = context.detail();
  const before = context.attempt();
  const after = await session.save((app) => {
    const attempt = ofThis(app, before.id);
    const done = stepped(result.attempt?.(attempt) ?? attempt, { finishedAt: now, ...(detail !== '' && { detail }) });
    const rest: AppChange = { ...result.app?.(app), retry: undefined };
    const present = { ...app, ...rest, attempt: done } as AppRecord;
    if (nextStep(done) === undefined) return { ...rest, ...endedWith(present, done, now) };
    return { ...rest, attempt: done, ...(context.deadline > now && begun(present, done.id, now)) };
  });
  if (after.attempt?.status === 'succeeded') report(context, after.attempt);
}

async function fail(context: StepContext, error: unknown): Promise<void> {
  const { deps, session } = context;
  const { name } = context.app();
  const before = context.attempt();
  if (failureOf(error, before, 0).code === 'unknown') {
    deps.log.error('deploy step failed unexpectedly', {
      app: name,
      attempt: before.id,
      step: before.step,
      ...facts(error),
    });
  }
  if (isPastGate(before)) await takeBack(context, error);
  const now = deps.clock.now();
  const detail = context.detail();
  const after = await session.save((app) => {
    const attempt = stepped(ofThis(app, before.id), { finishedAt: now, ...(detail !== '' && { detail }) });
    return endedWithout(app, attempt, { status: 'failed', failure: failureOf(error, attempt, now) }, now);
  });
  if (after.attempt) report(context, after.attempt);
}

/** The reason is written first: should this worker end in between, the next one finds it beside the alias that is back. */
async function takeBack(context: StepContext, error: unknown): Promise<void> {
  const { cause } = failureOf(error, context.attempt(), 0);
  context.tell('back', cause);
  await context.note();
  for (let tries = 0; ; tries += 1) {
    try {
      return await goBack(context);
    } catch (refusal) {
      if (budgetOf(refusal) === undefined) {
        const reason = refusal instanceof Error ? refusal.message : 'no reason';
        return context.tell('alias', `the alias could not be moved back: ${reason}`);
      }
      await pauseOrLeave(context, tries, 'the alias could not be moved back');
    }
  }
}

/** The begin of the next step; nothing when something else was asked for. */
function begun(app: AppRecord, id: string, now: number): AppChange {
  const attempt = ofThis(app, id);
  const step = nextStep(attempt);
  if (nextTask(app) !== 'step' || step === undefined) return {};
  const { waitReason: _waitReason, ...rest } = attempt;
  const next: Attempt = {
    ...rest,
    status: 'running',
    startedAt: attempt.startedAt ?? now,
    step,
    steps: [...attempt.steps, { step, startedAt: now }],
  };
  return { attempt: next, ...judged({ ...app, attempt: next }, now) };
}

function stepped(attempt: Attempt, end: Pick<StepRecord, 'finishedAt' | 'detail'>): Attempt {
  const last = attempt.steps.at(-1);
  return last === undefined ? attempt : { ...attempt, steps: [...attempt.steps.slice(0, -1), { ...last, ...end }] };
}

/** The step that has begun and not ended. */
function runningStep(attempt: Attempt | undefined): Step | undefined {
  const last = attempt?.steps.at(-1);
  return last?.finishedAt === undefined ? last?.step : undefined;
}

function nextStep({ steps }: Attempt): Step | undefined {
  const last = steps.at(-1);
  if (last === undefined) return STEPS[0];
  return last.finishedAt === undefined ? last.step : STEPS[STEPS.indexOf(last.step) + 1];
}

function ofThis({ attempt }: AppRecord, id: string): Attempt {
  if (attempt?.id !== id) throw new Replaced();
  return attempt;
}

function isSignal(error: unknown): boolean {
  if (error instanceof OutOfTime || error instanceof Later || error instanceof LeaseLost) return true;
  if (error instanceof Replaced || error instanceof AppChanged) return true;
  // The database cannot be used: nothing can be written about the attempt either.
  return error instanceof AppError && error.status >= 500;
}

function report({ deps, app }: StepContext, { status, id, queuedAt, finishedAt = queuedAt, failure }: Attempt): void {
  const result = status === 'succeeded' ? 'succeeded' : 'failed';
  const record = { result, durationMs: finishedAt - queuedAt, app: app().name, attempt: id } as const;
  deps.telemetry?.deploy({ ...record, ...(failure && { code: failure.code }) });
  deps.log.info('deploy ended', { ...record, ...(failure && { code: failure.code, step: failure.step }) });
}

/** The text stays out: it can quote anything. */
function facts(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error_name: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return { error_name: error.name, error_stack: frames.slice(0, 10).map((line) => line.trim()) };
}
