import { onUse } from '../../aws/on-use.ts';
import type { Roles } from '../ports.ts';
import type { RoleOptions } from './roles-on-iam.ts';

/** Roles in IAM, whose client is loaded on use: the first step of a deploy alone looks at them. */
export function createRoles(options: RoleOptions): Roles {
  const iam = onUse(async () => (await import('./roles-on-iam.ts')).createIamRoles(options));
  return {
    ensure: async (app) => (await iam()).ensure(app),
    remove: async (app) => (await iam()).remove(app),
  };
}
