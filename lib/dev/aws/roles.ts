import type { Roles } from '../../apps/ports.ts';

/** In development there is no IAM, and apps run as the user who started this: every app has the same role. */
export function createDevelopmentRoles(account: string): Roles {
  return {
    ensure: async () => `arn:aws:iam::${account}:role/roundhouse-development`,
    remove: async () => {},
  };
}
