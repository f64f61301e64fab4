import type { AliasConfiguration, CreateAliasRequest, UpdateAliasRequest } from '@aws-sdk/client-lambda';
import { type Context, getFunction, newRevision } from '../context.ts';
import { conflict, invalid, notFound, preconditionFailed } from '../errors.ts';
import { type AliasRecord, type FunctionRecord, LATEST } from '../model.ts';
import { checkAliasName, functionArn } from '../names.ts';
import { type Call, type Operation, page, parseBody, target } from './operation.ts';

const PAGE = 50;
const ROUTE = '/2015-03-31/functions/{FunctionName}/aliases';

export const aliasOperations: readonly Operation[] = [
  { name: 'CreateAlias', route: `POST ${ROUTE}`, status: 201, handle: createAlias },
  { name: 'ListAliases', route: `GET ${ROUTE}`, status: 200, handle: listAliases },
  { name: 'GetAlias', route: `GET ${ROUTE}/{Name}`, status: 200, handle: readAlias },
  { name: 'UpdateAlias', route: `PUT ${ROUTE}/{Name}`, status: 200, handle: updateAlias },
  { name: 'DeleteAlias', route: `DELETE ${ROUTE}/{Name}`, status: 204, handle: deleteAlias },
];

function createAlias(call: Call, context: Context): AliasConfiguration {
  const input = parseBody<CreateAliasRequest>(call);
  const { Name: name = '', FunctionVersion: version = '' } = input;
  checkAliasName(name);
  const fn = getFunction(context, target(call).name);
  if (Object.hasOwn(fn.aliases, name)) {
    throw conflict(`Alias already exists: ${functionArn(context, fn.name, name)}`);
  }
  checkVersion(context, fn, version);
  const alias = { name, version, description: input.Description ?? '', revisionId: newRevision() };
  fn.aliases[name] = alias;
  return render(context, fn, alias);
}

function updateAlias(call: Call, context: Context): AliasConfiguration {
  const input = parseBody<UpdateAliasRequest>(call);
  const { fn, alias } = find(call, context);
  if (input.RevisionId !== undefined && input.RevisionId !== alias.revisionId) throw preconditionFailed();
  if (input.FunctionVersion !== undefined) checkVersion(context, fn, input.FunctionVersion);
  alias.version = input.FunctionVersion ?? alias.version;
  alias.description = input.Description ?? alias.description;
  alias.revisionId = newRevision();
  return render(context, fn, alias);
}

/** Only published versions, where AWS lets an alias stand for `$LATEST`: nothing of ours may do that. */
function checkVersion(context: Context, fn: FunctionRecord, version: string): void {
  if (version === LATEST) throw invalid('$LATEST is not supported for an alias here. Publish a version first.');
  if (!Object.hasOwn(fn.versions, version)) {
    throw notFound(`Function not found: ${functionArn(context, fn.name, version)}`);
  }
}

function readAlias(call: Call, context: Context): AliasConfiguration {
  const { fn, alias } = find(call, context);
  return render(context, fn, alias);
}

function listAliases(call: Call, context: Context) {
  const fn = getFunction(context, target(call).name);
  const version = call.query.get('FunctionVersion');
  const aliases = Object.values(fn.aliases).filter((alias) => version === null || alias.version === version);
  aliases.sort((a, b) => (a.name < b.name ? -1 : 1));
  const { items, marker } = page(call, aliases, PAGE);
  return { Aliases: items.map((alias) => render(context, fn, alias)), NextMarker: marker };
}

/** With its URL and its policy; twice is as once. */
async function deleteAlias(call: Call, context: Context): Promise<void> {
  const fn = getFunction(context, target(call).name);
  const name = call.params['Name'] ?? '';
  if (fn.urls[name] !== undefined) await context.urls.close(fn.name, name);
  delete fn.urls[name];
  delete fn.policies[name];
  delete fn.aliases[name];
}

function find(call: Call, context: Context): { readonly fn: FunctionRecord; readonly alias: AliasRecord } {
  const fn = getFunction(context, target(call).name);
  const name = call.params['Name'] ?? '';
  const alias = fn.aliases[name];
  if (alias === undefined) throw notFound(`Cannot find alias arn: ${functionArn(context, fn.name, name)}`);
  return { fn, alias };
}

function render(context: Context, fn: FunctionRecord, alias: AliasRecord): AliasConfiguration {
  return {
    AliasArn: functionArn(context, fn.name, alias.name),
    Name: alias.name,
    FunctionVersion: alias.version,
    Description: alias.description,
    RevisionId: alias.revisionId,
  };
}
