import { isDeepStrictEqual } from 'node:util';
import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  type IAMClientConfig,
  ListRolePoliciesCommand,
  PutRolePermissionsBoundaryCommand,
  PutRolePolicyCommand,
  type Role,
  TagRoleCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import type { Roles } from '../ports.ts';
import { callAws, unlessGone } from './aws-error.ts';
import { appTags, functionName, rolePath } from './names.ts';
import { type Place, renderRolePolicy, TRUST } from './role-policy.ts';
import { RuntimeError } from './runtime.ts';

export interface RoleOptions {
  readonly stage: string;
  /** Of the app's log group and parameters. */
  readonly region: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<IAMClientConfig, 'region' | 'endpoint' | 'credentials'>;
  /** ARN of the policy that bounds every role of an app; our own functions may make no role without it. */
  readonly boundaryArn: string;
  readonly attemptMs?: number;
}

const POLICY = 'app';

/** Calls of one role, bound to its name. */
interface RoleCalls {
  readonly name: string;
  readonly client: IAMClient;
  call<T>(send: () => Promise<T>): Promise<T>;
}

/**
 * Every call may be repeated, so the SDK tries three times: what a lost answer hid is found by the next `ensure`, which
 * compares all that the role is made of.
 */
export function createIamRoles({ stage, region, client: settings, boundaryArn, attemptMs }: RoleOptions): Roles {
  const client = new IAMClient({
    ...settings,
    maxAttempts: 3,
    requestHandler: requestTimeouts(attemptMs),
    cacheMiddleware: true,
  });
  const [, partition = '', , , account = ''] = boundaryArn.split(':');
  const place: Place = { stage, partition, region, account };
  const callsOf = (app: string): RoleCalls => ({
    name: functionName(stage, app),
    client,
    call: (send) => callAws({ service: 'IAM' }, send),
  });
  return {
    async ensure(app) {
      const calls = callsOf(app);
      const wanted = { path: rolePath(stage), boundaryArn, tags: appTags(stage, app) };
      const role = await ensureRole(calls, wanted);
      await ensurePolicy(calls, renderRolePolicy(place, app));
      return role.Arn ?? '';
    },
    async remove(app) {
      const { name: RoleName, call } = callsOf(app);
      const found = await unlessGone(call(() => client.send(new ListRolePoliciesCommand({ RoleName }))));
      for (const PolicyName of found?.PolicyNames ?? [])
        await unlessGone(call(() => client.send(new DeleteRolePolicyCommand({ RoleName, PolicyName }))));
      await unlessGone(call(() => client.send(new DeleteRoleCommand({ RoleName }))));
    },
  };
}

interface Wanted {
  readonly path: string;
  readonly boundaryArn: string;
  readonly tags: Readonly<Record<string, string>>;
}

async function ensureRole(calls: RoleCalls, wanted: Wanted): Promise<Role> {
  const { name: RoleName, client, call } = calls;
  const found = await unlessGone(call(() => client.send(new GetRoleCommand({ RoleName }))));
  if (found?.Role !== undefined) {
    await repair(calls, found.Role, wanted);
    return found.Role;
  }
  const create = new CreateRoleCommand({
    RoleName,
    Path: wanted.path,
    AssumeRolePolicyDocument: JSON.stringify(TRUST),
    PermissionsBoundary: wanted.boundaryArn,
    Description: 'What an app of Roundhouse may do',
    Tags: tagList(wanted.tags),
  });
  const { Role: made } = await call(() => client.send(create));
  return made as Role;
}

/** Sets right what a person or an older stack left otherwise. */
async function repair({ name: RoleName, client, call }: RoleCalls, role: Role, wanted: Wanted): Promise<void> {
  if (role.Path !== wanted.path)
    throw new RuntimeError(
      'invalid',
      `There is a role ${RoleName} under the path ${role.Path}, which is not one of Roundhouse (${wanted.path}). Remove it, or give the app another name.`,
    );
  if (role.PermissionsBoundary?.PermissionsBoundaryArn !== wanted.boundaryArn) {
    const put = new PutRolePermissionsBoundaryCommand({ RoleName, PermissionsBoundary: wanted.boundaryArn });
    await call(() => client.send(put));
  }
  if (!isDeepStrictEqual(parseDocument(role.AssumeRolePolicyDocument), TRUST)) {
    const update = new UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument: JSON.stringify(TRUST) });
    await call(() => client.send(update));
  }
  const has = new Map(role.Tags?.map(({ Key, Value }) => [Key, Value]));
  if (Object.entries(wanted.tags).some(([key, value]) => has.get(key) !== value))
    await call(() => client.send(new TagRoleCommand({ RoleName, Tags: tagList(wanted.tags) })));
}

async function ensurePolicy({ name: RoleName, client, call }: RoleCalls, policy: object): Promise<void> {
  const own = { RoleName, PolicyName: POLICY };
  const found = await unlessGone(call(() => client.send(new GetRolePolicyCommand(own))));
  if (isDeepStrictEqual(parseDocument(found?.PolicyDocument), policy)) return;
  await call(() => client.send(new PutRolePolicyCommand({ ...own, PolicyDocument: JSON.stringify(policy) })));
}

/** IAM gives documents percent-encoded. What is no JSON is nobody's wanted document. */
function parseDocument(document: string | undefined): unknown {
  try {
    return document && JSON.parse(decodeURIComponent(document));
  } catch {
    return undefined;
  }
}

function tagList(tags: Readonly<Record<string, string>>) {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}
