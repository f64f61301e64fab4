import type { Code } from '../../model.ts';
import { loadAttempt } from '../../records.ts';
import { RuntimeError } from '../../runtime/runtime.ts';
import { AttemptFailed } from '../signals.ts';
import type { StepContext, StepResult } from '../step.ts';

const ARTIFACT = 'artifact:';

/** Pins the code, makes role and log group. What serves is not touched, but for an alias that a lost worker left elsewhere. */
export async function prepare(context: StepContext): Promise<StepResult> {
  const { deps, memo } = context;
  const { name } = context.app();
  const code = context.attempt().code ?? (await pin(context));
  const version = context.attempt().source === 'rollback' ? await reusableVersion(context, code) : undefined;
  memo.roleArn = await deps.roles.ensure(name);
  await deps.logGroups.ensure(name);
  await returnAlias(context);
  return {
    attempt: ({ version: _version, ...attempt }) => ({ ...attempt, code, ...(version !== undefined && { version }) }),
  };
}

async function pin({ deps, app, attempt }: StepContext): Promise<Code> {
  const { image } = attempt();
  if (!image.startsWith(ARTIFACT)) return await deps.images.resolve(image);
  const artifact = image.slice(ARTIFACT.length);
  const found = await deps.artifacts.find(app().name, artifact);
  if (found !== undefined) return { kind: 'zip', artifact, ...found };
  throw new AttemptFailed(
    'artifact_missing',
    `There is no package ${artifact} of ${app().name}: nothing was uploaded for it.`,
  );
}

/** The Lambda version of the release that a rollback goes back to, as long as it is there. */
async function reusableVersion(context: StepContext, code: Code): Promise<string | undefined> {
  const { deps, app, attempt, tell } = context;
  const { rollbackOf, version: known } = attempt();
  const target = rollbackOf && (await loadAttempt(deps, app(), rollbackOf.deployId));
  const version = known ?? target?.version;
  if (version !== undefined && (await deps.runtime.findVersion(app().name, version)) !== undefined) {
    tell('version', `version ${version} is still there`);
    return version;
  }
  const there =
    code.kind === 'image'
      ? await deps.images.exists(code)
      : await deps.artifacts.exists(app().name, code.artifact, code.versionId);
  if (there) return undefined;
  const what = code.kind === 'image' ? `image ${code.uri}@${code.digest}` : `package ${code.artifact}`;
  throw new AttemptFailed(
    'rollback_target_gone',
    `The ${what} of release ${rollbackOf?.release} is gone, and so is its version.`,
  );
}

/** An attempt whose worker was lost between shift and success may have left the alias at its version. */
async function returnAlias({ deps, app, tell }: StepContext): Promise<void> {
  const { name, live } = app();
  if (live === undefined) return;
  const alias = await deps.runtime.findAlias(name);
  if (alias === undefined || alias.version === live.version) return;
  try {
    await deps.runtime.setAlias(name, live.version, alias.revisionId);
    tell('alias', `the alias was at version ${alias.version} and is back at ${live.version}`);
  } catch (error) {
    // The live release's version was removed by somebody: the alias stays where requests are answered.
    if (!(error instanceof RuntimeError && (error.code === 'not_found' || error.code === 'invalid'))) throw error;
  }
}
