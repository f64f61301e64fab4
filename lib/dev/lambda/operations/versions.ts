import type { FunctionConfiguration, PublishVersionRequest } from '@aws-sdk/client-lambda';
import { begin, type Context, checkSettled, getFunction, newRevision, settle } from '../context.ts';
import { invalid, preconditionFailed } from '../errors.ts';
import type { Fault } from '../faults.ts';
import { type FunctionRecord, LATEST } from '../model.ts';
import { functionArn } from '../names.ts';
import { type Call, type Operation, page, parseBody, target } from './operation.ts';

/** Lambda's page of versions. */
const PAGE = 50;

export const versionOperations: readonly Operation[] = [
  {
    name: 'PublishVersion',
    route: 'POST /2015-03-31/functions/{FunctionName}/versions',
    status: 201,
    handle: publishVersion,
  },
  {
    name: 'ListVersionsByFunction',
    route: 'GET /2015-03-31/functions/{FunctionName}/versions',
    status: 200,
    handle: listVersions,
  },
];

function publishVersion(call: Call, context: Context): FunctionConfiguration {
  const input = parseBody<PublishVersionRequest>(call);
  const fn = getFunction(context, target(call).name);
  checkSettled(context, fn);
  const { RevisionId: revision, CodeSha256: sha256 } = fn.latest.config;
  if (input.RevisionId !== undefined && input.RevisionId !== revision) throw preconditionFailed();
  if (input.CodeSha256 && input.CodeSha256 !== sha256) {
    const hint = 'Please try again with the CodeSHA256 in $LATEST.';
    throw invalid(
      `CodeSHA256 (${input.CodeSha256}) is different from current CodeSHA256 in $LATEST (${sha256}). ${hint}`,
    );
  }
  return publish(context, fn, input, call.fault);
}

/** The last version again when nothing was updated since, even if its description is another one. */
export function publish(
  context: Context,
  fn: FunctionRecord,
  { Description: description }: Partial<PublishVersionRequest>,
  fault: Fault | undefined,
): FunctionConfiguration {
  const last = fn.versions[`${fn.nextVersion - 1}`];
  if (fn.isPublished && last !== undefined) {
    settle(context, fn, last);
    return last.config;
  }
  const number = `${fn.nextVersion}`;
  const { config, code, buildId } = fn.latest;
  const version = {
    code,
    // Never the one of $LATEST: a sandbox knows as which version it runs.
    buildId: `${buildId}:${number}`,
    config: {
      ...config,
      FunctionArn: functionArn(context, fn.name, number),
      Version: number,
      ...(description !== undefined && { Description: description }),
      RevisionId: newRevision(),
      State: 'Pending' as const,
      StateReason: 'The function is being created.',
      StateReasonCode: 'Creating' as const,
      LastUpdateStatus: undefined,
      LastUpdateStatusReason: undefined,
      LastUpdateStatusReasonCode: undefined,
    },
    pending: begin(context, fault),
  };
  fn.versions[number] = version;
  fn.nextVersion += 1;
  fn.isPublished = true;
  fn.latest.config = { ...config, RevisionId: newRevision() };
  return version.config;
}

function listVersions(call: Call, context: Context) {
  const fn = getFunction(context, target(call).name);
  const versions = [fn.latest, ...Object.values(fn.versions)];
  for (const version of versions) settle(context, fn, version);
  const { items, marker } = page(call, versions, PAGE);
  const latestArn = functionArn(context, fn.name, LATEST);
  return {
    Versions: items.map(({ config }) => (config.Version === LATEST ? { ...config, FunctionArn: latestArn } : config)),
    NextMarker: marker,
  };
}
