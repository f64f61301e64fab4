import type { FailureCode } from '../failures.ts';
import { type FunctionState, RuntimeError, type VersionState } from '../runtime/runtime.ts';
import { AttemptFailed } from './signals.ts';
import type { StepContext } from './step.ts';

/** Lambda needs seconds for a package and minutes for a large image. */
const BUDGET_MS = 10 * 60_000;
const LOOK_MS = 1_000;

/** Waits until no update of the function runs, whatever came of the last one. (R17) */
export async function untilIdle(context: StepContext): Promise<FunctionState> {
  const { deps, app } = context;
  return await watch(context, 'LastUpdateStatus', async () => {
    const state = await deps.runtime.find(app().name);
    if (state === undefined) throw new RuntimeError('not_found', `the function of ${app().name} is not there`);
    return { value: state, busy: state.state === 'Pending' || state.lastUpdateStatus === 'InProgress' };
  });
}

/** Waits for the update that this step began. @throws AttemptFailed with Lambda's reason */
export async function untilUpdated(context: StepContext): Promise<FunctionState> {
  const state = await untilIdle(context);
  if (state.lastUpdateStatus === 'Failed')
    throw refused('the update', state.lastUpdateReason, state.lastUpdateReasonCode);
  if (state.state === 'Failed') throw refused('the function', state.stateReason, state.stateReasonCode);
  return state;
}

/** Waits until a published version can be invoked; one that fell asleep is woken by a call. */
export async function untilActive(context: StepContext, version: string): Promise<VersionState> {
  const { deps, app } = context;
  const { name } = app();
  let woken = false;
  const state = await watch(context, `State of version ${version}`, async () => {
    const found = await deps.runtime.findVersion(name, version);
    if (found === undefined) throw new RuntimeError('not_found', `version ${version} of ${name} is not there`);
    if (found.state === 'Inactive' && !woken) {
      woken = true;
      context.tell('woken', `version ${version} was inactive and was woken`);
      await deps.runtime.invoke(name, version, {}, LOOK_MS).catch(() => {});
    }
    return { value: found, busy: found.state === 'Pending' || found.state === 'Inactive' };
  });
  if (state.state === 'Failed') throw refused(`version ${version}`, state.stateReason, state.stateReasonCode);
  return state;
}

async function watch<T>(
  context: StepContext,
  what: string,
  look: () => Promise<{ readonly value: T; readonly busy: boolean }>,
): Promise<T> {
  const { deps, tell } = context;
  const from = deps.clock.now();
  for (let looks = 0; ; looks += 1) {
    const { value, busy } = await look();
    if (!busy) {
      if (looks > 0) tell(what, `waited ${((deps.clock.now() - from) / 1_000).toFixed(1)} s for ${what}`);
      return value;
    }
    if (context.elapsedMs() > BUDGET_MS) {
      throw new AttemptFailed('build_timeout', `Lambda did not finish within 10 minutes: ${what} is still not there.`);
    }
    if (looks === 0) {
      tell(what, `waits for ${what}`);
      await context.note();
    }
    await context.pause(LOOK_MS + Math.round(deps.random() * LOOK_MS));
  }
}

/** Reason codes of Lambda: StateReasonCode and LastUpdateStatusReasonCode. */
function refused(what: string, reason = 'no reason was given', code = ''): AttemptFailed {
  return new AttemptFailed(failureCode(code), `Lambda says that ${what} failed: ${reason}${code && ` (${code})`}`);
}

function failureCode(reason: string): FailureCode {
  if (/^(Image|InvalidImage)/.test(reason)) return 'image_pull_failed';
  if (reason === 'InsufficientRolePermissions' || reason.startsWith('KMSKey')) return 'permission_denied';
  if (reason.startsWith('FunctionError')) return 'container_crashed';
  return reason === 'InternalError' ? 'unknown' : 'build_config_error';
}
