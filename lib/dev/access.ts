import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { isLoopback, renderHost } from './host-names.ts';
import { openPrivateFolder, type PrivateFolder } from './private-folder.ts';
import { type DevelopmentTls, loadDevelopmentTls } from './tls.ts';

interface AccessOptions {
  /** Folder that keeps the data, which is there; in memory when absent. */
  readonly dataDir?: string;
  /** HTTPS when given. */
  readonly tls?: { readonly hosts: readonly string[] };
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How the server of development is reached, and by whom. */
export interface Access {
  readonly rootToken: string;
  readonly tls?: DevelopmentTls;
  /** The name by which other machines reach it; without one it listens on the loopback interface only. */
  readonly openAs?: string;
}

/** Everybody knows it, so it is used on the loopback interface only. */
const KNOWN_TOKEN = 'dev-root-token';
const PRIVATE_FOLDER = 'private';
const TOKEN_FILE = 'root-token';
/** 32 random bytes in base64url. */
const TOKEN = /^[\w-]{43}\n?$/;

/** @throws AppError UNPROCESSABLE when what the data folder keeps cannot be used */
export async function prepareAccess({ dataDir, tls, now }: AccessOptions): Promise<Access> {
  if (tls === undefined) return { rootToken: KNOWN_TOKEN };
  const folder = dataDir === undefined ? undefined : await openPrivateFolder(join(dataDir, PRIVATE_FOLDER));
  const host = tls.hosts.find((name) => !isLoopback(name));
  const rootToken = host === undefined ? KNOWN_TOKEN : await loadToken(folder);
  return {
    rootToken,
    tls: await loadDevelopmentTls({ ...(folder && { folder }), hosts: tls.hosts, now }),
    ...(host !== undefined && { openAs: renderHost(host) }),
  };
}

/** A random token, the same at every start when there is a folder to keep it. */
async function loadToken(folder: PrivateFolder | undefined): Promise<string> {
  const kept = await folder?.read(TOKEN_FILE);
  if (folder !== undefined && kept !== undefined) {
    if (TOKEN.test(kept)) return kept.trim();
    const hint = 'Move it away, and another is made.';
    throw new AppError('UNPROCESSABLE', `The file ${folder.path(TOKEN_FILE)} does not hold a token. ${hint}`);
  }
  const token = randomBytes(32).toString('base64url');
  await folder?.write(TOKEN_FILE, `${token}\n`);
  return token;
}
