import type { Code } from '../../model.ts';
import type { FunctionState } from '../../runtime/runtime.ts';
import { functionSettings } from '../function-input.ts';
import { roleArnOf } from '../role.ts';
import { untilIdle, untilUpdated } from '../settle.ts';
import { AttemptFailed } from '../signals.ts';
import type { StepContext, StepResult } from '../step.ts';

/** Makes the function, or gives it the code of the attempt. */
export async function code(context: StepContext): Promise<StepResult> {
  const { deps, app, attempt, memo, tell } = context;
  if (attempt().version !== undefined) return {};
  const code = pinned(context);
  const { name } = app();
  if ((await deps.runtime.find(name)) === undefined) {
    const settings = functionSettings(app(), attempt(), deps, await roleArnOf(context));
    await deps.runtime.create(name, { ...settings, code });
    memo.created = true;
    tell('code', 'made the function');
  } else {
    await update(context, code, await untilIdle(context));
  }
  const { arn, codeSha256 } = await untilUpdated(context);
  return {
    app: ({ observed = { generation: 0, stopped: false } }) => ({
      observed: { ...observed, at: deps.clock.now(), functionArn: arn, codeSha256 },
    }),
  };
}

async function update(context: StepContext, code: Code, state: FunctionState): Promise<void> {
  const { deps, app, attempt, tell } = context;
  const { name } = app();
  if ((state.packageType === 'Image') !== (code.kind === 'image')) {
    const [is, wants] = code.kind === 'image' ? ['a zip package', 'an image'] : ['an image', 'a zip package'];
    const fix = `Delete ${name} and create it anew.`;
    throw new AttemptFailed(
      'build_config_error',
      `The function of ${name} is made of ${is}, and Lambda cannot give it ${wants}. ${fix}`,
    );
  }
  if (await isThere(context, code, state)) {
    tell('code', 'the code is the same');
    return;
  }
  const { architecture } = attempt().settings;
  await deps.runtime.updateCode(name, code, { architecture, revisionId: state.revisionId });
  tell('code', 'updated the code');
}

/** Lambda shows the digest of an image; of a package only whether it is that of a version that we know. */
async function isThere({ deps, app, attempt }: StepContext, code: Code, state: FunctionState): Promise<boolean> {
  const { name, live } = app();
  if (live === undefined || state.architecture !== attempt().settings.architecture) return false;
  if (code.kind === 'image') return `sha256:${state.codeSha256}` === code.digest;
  const same =
    live.code.kind === 'zip' && live.code.artifact === code.artifact && live.code.versionId === code.versionId;
  if (!same) return false;
  return (await deps.runtime.findVersion(name, live.version))?.codeSha256 === state.codeSha256;
}

function pinned({ attempt }: StepContext): Code {
  const { code } = attempt();
  if (code === undefined) throw new AttemptFailed('unknown', 'The attempt has no code after prepare.');
  return code;
}
