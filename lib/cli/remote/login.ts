import type { Io } from '../io.ts';
import { type AccessFlags, resolveAccess } from './access.ts';
import { loadContexts, saveContexts, withContext } from './contexts.ts';
import { roundhouseAt } from './roundhouse.ts';

interface LoggedIn {
  readonly name: string;
  readonly server: string;
  /** Where it is kept. */
  readonly file: string;
}

/**
 * Keeps an address and its token as a context, once the server knows the token. `--context` is the name that it gets; of
 * one that is there, what the flags do not give stays as it is.
 * @throws AppError
 */
export async function logIn(flags: AccessFlags, io: Io): Promise<LoggedIn> {
  const before = await loadContexts(io);
  const { context, ...rest } = flags;
  const isKnown = context !== undefined && Object.hasOwn(before.contexts, context);
  const access = await resolveAccess(isKnown && flags.server === undefined ? flags : rest, io);
  const { server, token, ca } = access;
  const name = context ?? new URL(server).host;
  const after = withContext(before, name, { server, token, ...(ca && { ca }) });
  await roundhouseAt(access, flags, io).check();
  return { name, server, file: await saveContexts(after, io) };
}
