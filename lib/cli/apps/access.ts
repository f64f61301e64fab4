import type { Io } from '../io.ts';
import { type AccessFlags, resolveAccess } from '../remote/access.ts';
import { createClient } from '../remote/client.ts';
import { clientOptions } from '../remote/roundhouse.ts';
import { type Apps, createApps } from './api.ts';

/** The apps of the Roundhouse that flags, environment and contexts name. No request is made yet. @throws AppError */
export async function openApps(flags: AccessFlags, io: Io): Promise<Apps> {
  const options = clientOptions(await resolveAccess(flags, io), flags, io);
  return createApps(createClient({ ...options, wait: io.wait }), options);
}
