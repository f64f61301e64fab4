import { RuntimeError } from '../../runtime/runtime.ts';
import { applyReservation } from '../reservation.ts';
import type { StepContext, StepResult } from '../step.ts';

/** Gives the new version the traffic. The save that began this step is the proof that the attempt is the newest (R29). */
export async function shift(context: StepContext): Promise<StepResult> {
  const { deps, app, memo } = context;
  const { name, spec, suspended } = app();
  const { version = '' } = context.attempt();
  // A stopped app keeps its reservation of 0; the stop itself is another task.
  const reservation = suspended ? undefined : await applyReservation(deps, name, spec.reservedConcurrency);
  const alias = await deps.runtime.findAlias(name);
  if (alias?.version !== version) {
    context.tell(
      'alias',
      alias === undefined ? `the alias goes to ${version}` : `the alias goes from ${alias.version} to ${version}`,
    );
    // Between the look at the revision and the move: a worker that lost its lease ends here.
    await context.note();
    await deps.runtime.setAlias(name, version, alias?.revisionId);
  }
  const url = await deps.runtime.ensureUrl(name);
  memo.url = url;
  return {
    app: (present) => {
      const observed = { generation: 0, stopped: false, ...present.observed, url, at: deps.clock.now() };
      return { observed, ...reservation?.({ ...present, observed }) };
    },
  };
}

/** Takes the traffic back from the attempt's version, where there is a version that had it before. */
export async function goBack({ deps, app, attempt, tell }: StepContext): Promise<void> {
  const { version, previousVersion } = attempt();
  if (previousVersion === undefined || previousVersion === version) return;
  const alias = await deps.runtime.findAlias(app().name);
  if (alias === undefined || alias.version !== version) return;
  try {
    await deps.runtime.setAlias(app().name, previousVersion, alias.revisionId);
    tell('alias', `the alias is back at ${previousVersion}`);
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'not_found') throw error;
    tell('alias', `the alias stays: version ${previousVersion} is gone`);
  }
}
