import type {
  CreateFunctionRequest,
  Environment,
  FunctionConfiguration,
  GetFunctionResponse,
  UpdateFunctionCodeRequest,
  UpdateFunctionConfigurationRequest,
} from '@aws-sdk/client-lambda';
import { begin, type Context, checkSettled, getFunction, look, newRevision, renderTime, resolve } from '../context.ts';
import { conflict, invalid, preconditionFailed, violates } from '../errors.ts';
import { buildsOf, codesOf, type FunctionRecord, LATEST, type VersionRecord } from '../model.ts';
import { functionArn, isVersion, parseFunctionName } from '../names.ts';
import { checkSettings } from '../validation.ts';
import { type LoadedCode, loadCode } from './code.ts';
import { type Call, type Operation, page, parseBody, target } from './operation.ts';
import { publish } from './versions.ts';

/** Lambda's page of functions. */
const PAGE = 50;

export const functionOperations: readonly Operation[] = [
  { name: 'CreateFunction', route: 'POST /2015-03-31/functions', status: 201, handle: createFunction },
  { name: 'ListFunctions', route: 'GET /2015-03-31/functions', status: 200, handle: listFunctions },
  { name: 'GetFunction', route: 'GET /2015-03-31/functions/{FunctionName}', status: 200, handle: readFunction },
  {
    name: 'GetFunctionConfiguration',
    route: 'GET /2015-03-31/functions/{FunctionName}/configuration',
    status: 200,
    handle: (call, context) => readFunction(call, context).Configuration,
  },
  {
    name: 'UpdateFunctionCode',
    route: 'PUT /2015-03-31/functions/{FunctionName}/code',
    status: 200,
    handle: updateCode,
  },
  {
    name: 'UpdateFunctionConfiguration',
    route: 'PUT /2015-03-31/functions/{FunctionName}/configuration',
    status: 200,
    handle: updateConfiguration,
  },
  { name: 'DeleteFunction', route: 'DELETE /2015-03-31/functions/{FunctionName}', status: 204, handle: deleteFunction },
];

async function createFunction(call: Call, context: Context): Promise<FunctionConfiguration> {
  const input = parseBody<CreateFunctionRequest>(call);
  const { name } = parseFunctionName(input.FunctionName ?? '');
  checkSettings(input, context.layers);
  if (input.Role === undefined) throw violates('null', 'role', 'Member must not be null');
  const packageType = input.PackageType ?? 'Zip';
  if (packageType === 'Zip' && (input.Runtime === undefined || input.Handler === undefined)) {
    throw invalid('Runtime and Handler are mandatory parameters for functions created with deployment packages.');
  }
  if (packageType === 'Image' && (input.Runtime !== undefined || input.Handler !== undefined)) {
    throw invalid("Please don't provide Runtime or Handler when creating a function with packageType Image.");
  }
  if (context.functions.has(name)) throw conflict(`Function already exist: ${name}`);
  const { code, facts } = await loadCode(context, input.Code ?? {}, packageType, 'CreateFunction');
  const latest: VersionRecord = {
    code,
    buildId: newRevision(),
    config: renderNew(context, name, input, facts),
    pending: begin(context, call.fault),
  };
  const fn: FunctionRecord = {
    name,
    latest,
    versions: {},
    nextVersion: 1,
    isPublished: false,
    aliases: {},
    policies: {},
    urls: {},
    tags: { ...input.Tags },
  };
  context.functions.set(name, fn);
  return input.Publish ? publish(context, fn, {}, call.fault) : latest.config;
}

/** With Lambda's defaults. */
function renderNew(
  context: Context,
  name: string,
  input: Partial<CreateFunctionRequest>,
  facts: LoadedCode['facts'],
): FunctionConfiguration {
  return {
    FunctionName: name,
    FunctionArn: functionArn(context, name),
    Runtime: input.Runtime,
    Role: input.Role,
    Handler: input.Handler,
    ...facts,
    Description: input.Description ?? '',
    Timeout: input.Timeout ?? 3,
    MemorySize: input.MemorySize ?? 128,
    LastModified: renderTime(context.clock.now()),
    Version: LATEST,
    Environment: renderEnvironment(input.Environment),
    TracingConfig: { Mode: input.TracingConfig?.Mode ?? 'PassThrough' },
    RevisionId: newRevision(),
    Layers: input.Layers?.map((Arn) => ({ Arn })),
    State: 'Pending',
    StateReason: 'The function is being created.',
    StateReasonCode: 'Creating',
    Architectures: input.Architectures ?? ['x86_64'],
    EphemeralStorage: { Size: input.EphemeralStorage?.Size ?? 512 },
    SnapStart: { ApplyOn: 'None', OptimizationStatus: 'Off' },
    LoggingConfig: renderLogging(name, input.LoggingConfig),
  };
}

function renderEnvironment(environment: Environment | undefined): FunctionConfiguration['Environment'] {
  const { Variables: variables = {} } = environment ?? {};
  return Object.keys(variables).length === 0 ? undefined : { Variables: variables };
}

function renderLogging(name: string, input: CreateFunctionRequest['LoggingConfig']) {
  return { LogFormat: 'Text' as const, LogGroup: `/aws/lambda/${name}`, ...input };
}

/** Eventually consistent at AWS; there, too, without state. */
function listFunctions(call: Call, context: Context) {
  const names = [...context.functions.keys()].sort();
  const { items, marker } = page(call, names, PAGE);
  return {
    Functions: items.map((name) => {
      const { config } = getFunction(context, name).latest;
      return { ...config, ...NO_STATE };
    }),
    NextMarker: marker,
  };
}

const NO_STATE = {
  State: undefined,
  StateReason: undefined,
  StateReasonCode: undefined,
  LastUpdateStatus: undefined,
  LastUpdateStatusReason: undefined,
  LastUpdateStatusReasonCode: undefined,
};

function readFunction(
  call: Call,
  context: Context,
): GetFunctionResponse & { readonly Configuration: FunctionConfiguration } {
  const { name, qualifier } = target(call);
  const { fn, version, arn } = resolve(context, name, qualifier);
  look(context, fn, version);
  const { code } = version;
  return {
    Configuration: { ...version.config, FunctionArn: arn },
    Code:
      code.kind === 'zip'
        ? { RepositoryType: 'S3', Location: `https://awslambda-${context.region}-tasks.s3.amazonaws.com/${code.code}` }
        : { RepositoryType: 'ECR', ImageUri: code.uri, ResolvedImageUri: code.resolvedUri },
    ...(Object.keys(fn.tags).length > 0 && { Tags: fn.tags }),
    ...(fn.reserved !== undefined && { Concurrency: { ReservedConcurrentExecutions: fn.reserved } }),
  };
}

async function updateCode(call: Call, context: Context): Promise<FunctionConfiguration> {
  const input = parseBody<UpdateFunctionCodeRequest>(call);
  checkSettings({ ...(input.Architectures && { Architectures: input.Architectures }) }, context.layers);
  const fn = findForUpdate(call, context, input.RevisionId);
  const { latest } = fn;
  const packageType = latest.config.PackageType ?? 'Zip';
  const { code, facts } = await loadCode(context, input, packageType, 'UpdateFunctionCode');
  if (input.DryRun) return { ...latest.config, ...facts };
  startUpdate(call, context, fn, { ...facts, ...(input.Architectures && { Architectures: input.Architectures }) });
  latest.code = code;
  return input.Publish ? publish(context, fn, {}, call.fault) : latest.config;
}

function updateConfiguration(call: Call, context: Context): FunctionConfiguration {
  const input = parseBody<UpdateFunctionConfigurationRequest>(call);
  checkSettings(input, context.layers);
  const fn = findForUpdate(call, context, input.RevisionId);
  const { config } = fn.latest;
  if (config.PackageType === 'Image' && (input.Runtime !== undefined || input.Handler !== undefined)) {
    throw invalid("Please don't provide Runtime or Handler when updating a function with packageType Image.");
  }
  const { Runtime, Role, Handler, Description, Timeout, MemorySize, EphemeralStorage } = input;
  const plain = { Runtime, Role, Handler, Description, Timeout, MemorySize, EphemeralStorage };
  startUpdate(call, context, fn, {
    ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
    ...(input.Environment && { Environment: renderEnvironment(input.Environment) }),
    ...(input.Layers && { Layers: input.Layers.map((Arn) => ({ Arn })) }),
    ...(input.LoggingConfig && {
      LoggingConfig: renderLogging(fn.name, { ...config.LoggingConfig, ...input.LoggingConfig }),
    }),
  });
  return fn.latest.config;
}

function findForUpdate(call: Call, context: Context, revisionId: string | undefined): FunctionRecord {
  const fn = getFunction(context, target(call).name);
  checkSettled(context, fn);
  if (revisionId !== undefined && revisionId !== fn.latest.config.RevisionId) throw preconditionFailed();
  return fn;
}

function startUpdate(call: Call, context: Context, fn: FunctionRecord, changes: Partial<FunctionConfiguration>): void {
  const { latest } = fn;
  const { config, code, buildId } = latest;
  latest.pending = begin(context, call.fault, { config, code, buildId });
  latest.buildId = newRevision();
  latest.config = {
    ...config,
    ...changes,
    LastModified: renderTime(context.clock.now()),
    RevisionId: newRevision(),
    LastUpdateStatus: 'InProgress',
    LastUpdateStatusReason: 'The function is being updated.',
    LastUpdateStatusReasonCode: 'Creating' as never,
  };
  fn.isPublished = false;
}

/** With a qualifier one published version, which no alias may point at; without one everything. */
async function deleteFunction(call: Call, context: Context): Promise<void> {
  const { name, qualifier } = target(call);
  const fn = getFunction(context, name);
  if (qualifier === undefined) await deleteAll(context, fn);
  else deleteVersion(context, fn, qualifier);
  await context.codes.keepOnly(codesOf(context.functions.values()));
}

async function deleteAll(context: Context, fn: FunctionRecord): Promise<void> {
  for (const place of Object.keys(fn.urls)) await context.urls.close(fn.name, place);
  context.functions.delete(fn.name);
  context.sandboxes.retire(fn.name, new Set());
}

function deleteVersion(context: Context, fn: FunctionRecord, qualifier: string): void {
  if (qualifier === LATEST) throw invalid('$LATEST version cannot be deleted without deleting the function.');
  if (!isVersion(qualifier)) throw invalid('Deletion of aliases is not currently supported.');
  const names = Object.values(fn.aliases)
    .filter(({ version }) => version === qualifier)
    .map(({ name }) => name);
  if (names.length > 0) {
    throw conflict(`Unable to delete version because the following aliases reference it: [${names.sort().join(', ')}]`);
  }
  // A version that is gone already is no error.
  delete fn.versions[qualifier];
  delete fn.policies[qualifier];
  context.sandboxes.retire(fn.name, buildsOf(fn));
}
