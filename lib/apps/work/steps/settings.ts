import { functionSettings } from '../function-input.ts';
import { roleArnOf } from '../role.ts';
import { untilIdle, untilUpdated } from '../settle.ts';
import type { StepContext, StepResult } from '../step.ts';

/** Gives the function the settings of the attempt. */
export async function settings(context: StepContext): Promise<StepResult> {
  const { deps, app, attempt, memo, tell } = context;
  if (attempt().version !== undefined) return {};
  if (memo.created) {
    tell('settings', 'the function was made with them');
    return {};
  }
  const { revisionId } = await untilIdle(context);
  const input = functionSettings(app(), attempt(), deps, await roleArnOf(context));
  await deps.runtime.updateSettings(app().name, input, revisionId);
  await untilUpdated(context);
  return {};
}
