import type { Attempt } from '../../model.ts';
import { excerptOf } from '../excerpt.ts';
import { AttemptFailed } from '../signals.ts';
import type { StepContext, StepResult } from '../step.ts';
import { ask, pathOf } from './gate.ts';

const TIMEOUT_MS = 10_000;
const INTERVAL_MS = 1_000;
/** A new URL is known everywhere only after some seconds. While an older release waits to serve again, we do not wait long. */
const FIRST_BUDGET_MS = 30_000;
const BUDGET_MS = 3_000;

const FORBIDDEN =
  'The URL answers 403. It needs both lambda:InvokeFunctionUrl and lambda:InvokeFunction for everybody; see GET /system/doctor.';

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly body: string;
}

/** One real request to the public URL; a release that cannot be reached gives the traffic back. */
export async function verify(context: StepContext): Promise<StepResult> {
  const { deps, app, attempt, memo } = context;
  const { name } = app();
  const { version, previousVersion, settings } = attempt();
  if ((await deps.runtime.findAlias(name))?.version !== version) {
    throw new AttemptFailed('health_check_failed', `The traffic was taken back. ${context.detail()}`.trim());
  }
  const base = memo.url ?? (await deps.runtime.findUrl(name))?.url ?? (await deps.runtime.ensureUrl(name));
  memo.url = base;
  const url = urlOf(settings.readiness?.path ?? '/', base);
  const budgetMs = previousVersion === undefined ? FIRST_BUDGET_MS : BUDGET_MS;
  for (let tries = 1; ; tries += 1) {
    const seen = await look(context, url);
    if (await isGood(context, seen)) {
      context.tell('verify', `the URL ${seen.text} at try ${tries}`);
      return {};
    }
    context.tell('verify', `the URL ${seen.text}, ${tries} tries`);
    if (context.elapsedMs() + INTERVAL_MS > budgetMs) throw verdict(seen, attempt());
    await context.pause(INTERVAL_MS);
  }
}

/** By parts, so that no path can lead to another host. */
function urlOf(target: string, base: string): string {
  const url = new URL(base);
  const { path, rawQuery } = pathOf(target);
  url.pathname = path;
  url.search = rawQuery;
  return url.href;
}

async function look({ deps }: StepContext, url: string): Promise<Seen> {
  try {
    const { status, body } = await deps.probe(url, TIMEOUT_MS);
    return { status, body, text: `answered ${status}` };
  } catch (error) {
    return { status: 0, body: '', text: `did not answer (${error instanceof Error ? error.message : 'no reason'})` };
  }
}

async function isGood(context: StepContext, { status }: Seen): Promise<boolean> {
  const { app, attempt, memo } = context;
  // Stopped since the gate: 429 is then what the URL has to answer, and the release is live when the app is started.
  if (status === 429) return app().suspended;
  if (attempt().settings.readiness !== undefined) return status >= 200 && status < 300;
  if (status !== 403) return status > 0 && status < 500;
  // An app may answer 403 itself; then the version says so without the URL, too.
  memo.gateStatus ??= (await ask(context, attempt().version ?? '')).status;
  return memo.gateStatus === 403;
}

function verdict({ status, text, body }: Seen, { previousVersion, settings }: Attempt): AttemptFailed {
  const reason =
    status === 403 ? FORBIDDEN : `The URL ${text} after the traffic had moved, though the version itself is well.`;
  const back = previousVersion === undefined ? '' : ` The traffic goes back to version ${previousVersion}.`;
  return new AttemptFailed('health_check_failed', `${reason}${back}`, excerptOf(body, settings.env));
}
