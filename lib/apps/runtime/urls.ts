import {
  AddPermissionCommand,
  CreateFunctionUrlConfigCommand,
  GetFunctionUrlConfigCommand,
  type GetFunctionUrlConfigResponse,
  GetPolicyCommand,
  RemovePermissionCommand,
  UpdateFunctionUrlConfigCommand,
} from '@aws-sdk/client-lambda';
import { unlessGone } from './aws-error.ts';
import type { LambdaApi } from './clients.ts';
import { type Runtime, RuntimeError } from './runtime.ts';
import { hasStatement, judgePolicy, URL_PERMISSIONS } from './url-policy.ts';
import { ALIAS } from './versions.ts';

/** Public, and the whole answer at once: the app decides who may do what. */
const CONFIG = { AuthType: 'NONE', InvokeMode: 'BUFFERED' } as const;

/** The URL of the alias and its two permissions. All of it is judged by what is there, so twice is as once. */
export function createUrlCalls(api: LambdaApi): Pick<Runtime, 'ensureUrl' | 'findUrl'> {
  const { reader, nameOf, call } = api;
  const ownOf = (app: string): Own => ({ FunctionName: nameOf(app), Qualifier: ALIAS });
  const findConfig = (own: Own) => unlessGone(call(() => reader.send(new GetFunctionUrlConfigCommand(own))));
  return {
    async ensureUrl(app) {
      const own = ownOf(app);
      const found = await findConfig(own);
      const url = await ensureConfig(api, own, found);
      await ensurePermissions(api, own);
      return url;
    },
    async findUrl(app) {
      const own = ownOf(app);
      const found = await findConfig(own);
      if (found?.FunctionUrl === undefined) return undefined;
      return { url: found.FunctionUrl, permissions: judgePolicy(await loadPolicy(api, own)) };
    },
  };
}

interface Own {
  readonly FunctionName: string;
  readonly Qualifier: string;
}

async function ensureConfig(
  { writer, call }: LambdaApi,
  own: Own,
  found: Partial<GetFunctionUrlConfigResponse> | undefined,
): Promise<string> {
  if (found?.FunctionUrl === undefined) {
    const made = await call(() => writer.send(new CreateFunctionUrlConfigCommand({ ...own, ...CONFIG })));
    return made.FunctionUrl ?? '';
  }
  if (found.AuthType !== CONFIG.AuthType || (found.InvokeMode ?? CONFIG.InvokeMode) !== CONFIG.InvokeMode)
    await call(() => writer.send(new UpdateFunctionUrlConfigCommand({ ...own, ...CONFIG })));
  return found.FunctionUrl;
}

async function ensurePermissions(api: LambdaApi, own: Own): Promise<void> {
  const policy = await loadPolicy(api, own);
  const granted = judgePolicy(policy);
  for (const name of ['invokeFunctionUrl', 'invokeFunction'] as const) {
    if (granted[name]) continue;
    const { StatementId } = URL_PERMISSIONS[name];
    // A statement with our id that says something else; none can be changed in its place.
    if (hasStatement(policy, StatementId))
      await unlessGone(api.call(() => api.writer.send(new RemovePermissionCommand({ ...own, StatementId }))));
    await addPermission(api, own, name);
  }
}

async function addPermission(api: LambdaApi, own: Own, name: keyof typeof URL_PERMISSIONS): Promise<void> {
  try {
    await api.call(() => api.writer.send(new AddPermissionCommand({ ...own, ...URL_PERMISSIONS[name] })));
  } catch (error) {
    // Another one was faster: then it is there now.
    const conflict = error instanceof RuntimeError && error.code === 'conflict';
    if (!conflict || !judgePolicy(await loadPolicy(api, own))[name]) throw error;
  }
}

async function loadPolicy({ reader, call }: LambdaApi, own: Own): Promise<string | undefined> {
  return (await unlessGone(call(() => reader.send(new GetPolicyCommand(own)))))?.Policy;
}
