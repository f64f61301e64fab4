import { untilActive, untilUpdated } from '../settle.ts';
import { AttemptFailed } from '../signals.ts';
import type { StepContext, StepResult } from '../step.ts';

/** Makes a version of the function. Its description is the id of the attempt, by which a resumed worker finds it. */
export async function publish(context: StepContext): Promise<StepResult> {
  if (context.attempt().version !== undefined) return {};
  const version = (await findPublished(context)) ?? (await publishNew(context));
  context.tell('version', `version ${version}`);
  await untilActive(context, version);
  return { attempt: (attempt) => ({ ...attempt, version }) };
}

async function findPublished({ deps, app, attempt }: StepContext): Promise<string | undefined> {
  const { id } = attempt();
  return (await deps.runtime.versions(app().name)).find(({ description }) => description === id)?.version;
}

async function publishNew(context: StepContext): Promise<string> {
  const { deps, app, attempt } = context;
  const { id } = attempt();
  const { revisionId } = await untilUpdated(context);
  const { version, description } = await deps.runtime.publish(app().name, { description: id, revisionId });
  if (description === id) return version;
  // Nothing changed since that one was published, so what was set for this attempt is not there any more.
  throw new AttemptFailed(
    'unknown',
    `Lambda gave back version ${version} of ${description}: somebody else changed the function.`,
  );
}
