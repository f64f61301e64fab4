import type { StepContext } from './step.ts';

/** The role of the app; asked for again after the message changed. */
export async function roleArnOf({ deps, app, memo }: StepContext): Promise<string> {
  memo.roleArn ??= await deps.roles.ensure(app().name);
  return memo.roleArn;
}
