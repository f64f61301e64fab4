import {
  type AliasConfiguration,
  CreateAliasCommand,
  DeleteFunctionCommand,
  GetAliasCommand,
  GetFunctionCommand,
  PublishVersionCommand,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { unlessGone } from './aws-error.ts';
import type { LambdaApi } from './clients.ts';
import { readVersion } from './function-state.ts';
import type { AliasState, Runtime, VersionState } from './runtime.ts';

/** The alias that an app's URL belongs to. */
export const ALIAS = 'live';

type Calls = Pick<Runtime, 'publish' | 'findVersion' | 'versions' | 'removeVersion' | 'findAlias' | 'setAlias'>;

export function createVersionCalls({ reader, writer, nameOf, call }: LambdaApi): Calls {
  return {
    async publish(app, { description: Description, revisionId: RevisionId }) {
      const command = new PublishVersionCommand({ FunctionName: nameOf(app), Description, RevisionId });
      return readVersion(await call(() => writer.send(command)));
    },
    async findVersion(app, version) {
      const command = new GetFunctionCommand({ FunctionName: nameOf(app), Qualifier: version });
      const found = await unlessGone(call(() => reader.send(command)));
      return found?.Configuration && readVersion(found.Configuration);
    },
    versions: (app) =>
      call(async () => {
        const found: VersionState[] = [];
        const pages = paginateListVersionsByFunction({ client: reader, pageSize: 50 }, { FunctionName: nameOf(app) });
        for await (const { Versions = [] } of pages) found.push(...Versions.map(readVersion));
        return found
          .filter(({ version }) => version !== '$LATEST')
          .sort((one, other) => Number(one.version) - Number(other.version));
      }),
    async removeVersion(app, version) {
      const command = new DeleteFunctionCommand({ FunctionName: nameOf(app), Qualifier: version });
      await unlessGone(call(() => writer.send(command)));
    },
    async findAlias(app) {
      const command = new GetAliasCommand({ FunctionName: nameOf(app), Name: ALIAS });
      const found = await unlessGone(call(() => reader.send(command)));
      return found && readAlias(found);
    },
    async setAlias(app, version, RevisionId) {
      const alias = { FunctionName: nameOf(app), Name: ALIAS, FunctionVersion: version };
      const create = new CreateAliasCommand(alias);
      // Weights that somebody gave by hand would leave a part of the traffic where it was.
      const RoutingConfig = { AdditionalVersionWeights: {} };
      const move = new UpdateAliasCommand({ ...alias, RevisionId, RoutingConfig });
      return readAlias(await call(() => (RevisionId === undefined ? writer.send(create) : writer.send(move))));
    },
  };
}

function readAlias({ FunctionVersion, RevisionId }: AliasConfiguration): AliasState {
  return { version: FunctionVersion ?? '', revisionId: RevisionId ?? '' };
}
