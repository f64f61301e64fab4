import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  DeleteFunctionConcurrencyCommand,
  GetAccountSettingsCommand,
  GetFunctionCommand,
  PutFunctionConcurrencyCommand,
  paginateListFunctions,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { unlessGone } from './aws-error.ts';
import type { LambdaApi, LambdaOptions } from './clients.ts';
import { hiddenOf, renderCode, renderSettings } from './function-input.ts';
import { readFunction } from './function-state.ts';
import { functionPrefix } from './names.ts';
import type { FunctionSummary, Runtime } from './runtime.ts';

type Calls = Pick<Runtime, 'find' | 'create' | 'updateCode' | 'updateSettings' | 'setConcurrency' | 'remove'>;

/** The function itself. GetFunction reads it: it has a quota of its own, and tells the reserved concurrency too. */
export function createFunctionCalls(
  { reader, writer, nameOf, call }: LambdaApi,
  { stage, artifactBucket }: LambdaOptions,
): Calls {
  const find: Runtime['find'] = async (app) => {
    const command = new GetFunctionCommand({ FunctionName: nameOf(app) });
    const found = await unlessGone(call(() => reader.send(command)));
    if (found?.Configuration === undefined) return undefined;
    return readFunction(found.Configuration, found.Concurrency?.ReservedConcurrentExecutions);
  };
  return {
    find,
    async create(app, input) {
      const packageType = input.code.kind === 'image' ? 'Image' : 'Zip';
      const command = new CreateFunctionCommand({
        FunctionName: nameOf(app),
        Description: `The app ${app} of Roundhouse, stage ${stage}`,
        PackageType: packageType,
        Architectures: [input.settings.architecture],
        Code: renderCode(app, input.code, artifactBucket),
        Tags: { ...input.tags },
        ...renderSettings(input, packageType),
      });
      return readFunction(await call(() => writer.send(command), hiddenOf(input)));
    },
    async updateCode(app, code, { architecture, revisionId: RevisionId }) {
      const command = new UpdateFunctionCodeCommand({
        FunctionName: nameOf(app),
        ...renderCode(app, code, artifactBucket),
        Architectures: [architecture],
        RevisionId,
      });
      return readFunction(await call(() => writer.send(command)));
    },
    async updateSettings(app, input, RevisionId) {
      // An image has its own runtime and handler. Which of the two it is does not change in the life of a function.
      const packageType = (await find(app))?.packageType ?? 'Zip';
      const rendered = renderSettings(input, packageType);
      const command = new UpdateFunctionConfigurationCommand({ FunctionName: nameOf(app), ...rendered, RevisionId });
      return readFunction(await call(() => writer.send(command), hiddenOf(input)));
    },
    async setConcurrency(app, reserved) {
      const own = { FunctionName: nameOf(app) };
      const set = new PutFunctionConcurrencyCommand({ ...own, ReservedConcurrentExecutions: reserved });
      const unset = new DeleteFunctionConcurrencyCommand(own);
      await call<unknown>(() => (reserved === undefined ? writer.send(unset) : writer.send(set)));
    },
    async remove(app) {
      // Takes its versions, its aliases and their URLs along.
      await unlessGone(call(() => writer.send(new DeleteFunctionCommand({ FunctionName: nameOf(app) }))));
    },
  };
}

/** What is about all functions of the account. */
export function createAccountCalls(
  { reader: client, call }: LambdaApi,
  { stage }: Pick<LambdaOptions, 'stage'>,
): Pick<Runtime, 'list' | 'account'> {
  const prefix = functionPrefix(stage);
  return {
    list: () =>
      call(async () => {
        const found: FunctionSummary[] = [];
        for await (const { Functions = [] } of paginateListFunctions({ client, pageSize: 50 }, {})) {
          for (const { FunctionName = '', FunctionArn, CodeSha256, LastModified } of Functions) {
            const app = FunctionName.slice(prefix.length);
            if (!FunctionName.startsWith(prefix) || app.includes('_')) continue;
            found.push({
              app,
              arn: FunctionArn ?? '',
              codeSha256: CodeSha256 ?? '',
              lastModified: LastModified ?? '',
            });
          }
        }
        return found;
      }),
    async account() {
      const { AccountLimit, AccountUsage } = await call(() => client.send(new GetAccountSettingsCommand({})));
      return {
        codeBytes: AccountUsage?.TotalCodeSize ?? 0,
        codeBytesLimit: AccountLimit?.TotalCodeSize ?? 0,
        functions: AccountUsage?.FunctionCount ?? 0,
        concurrency: AccountLimit?.ConcurrentExecutions ?? 0,
        unreservedConcurrency: AccountLimit?.UnreservedConcurrentExecutions ?? 0,
      };
    },
  };
}
