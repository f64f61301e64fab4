import { Buffer } from 'node:buffer';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { CertifiedKey } from './certificates.ts';
import { LOCAL_NAMES } from './host-names.ts';
import type { PrivateFolder } from './private-folder.ts';

interface TlsOptions {
  /** Keeps the CA and the server certificate; in memory when absent. */
  readonly folder?: PrivateFolder;
  /** What the certificate covers beside localhost, 127.0.0.1 and ::1. */
  readonly hosts: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface DevelopmentTls extends CertifiedKey {
  /** File with the certificate of the CA, PEM. */
  readonly caFile: string;
  /** The same as a CRD has it: PEM in base64. */
  readonly caBundle: string;
  /** The CA was made now; a CRD that was patched before does not trust it. */
  readonly isNewAuthority: boolean;
  /** Removes what belongs to this run only. */
  readonly close: () => Promise<void>;
}

const AUTHORITY_NAME = 'Roundhouse development CA';
/** Key and certificate in one file, so that there is never one without the other. */
const AUTHORITY_FILE = 'ca.pem';
const SERVER_FILE = 'server.pem';
/** The public part of the CA, for `curl --cacert`. */
const CA_CERTIFICATE_FILE = 'ca.crt';
/** Certificates are looked at once, at the start, and a run can last. */
const RENEW_BEFORE_MS = 90 * 86_400_000;

/**
 * The development CA and a server certificate of it: those of the folder as long as they are valid for 90 days more and
 * cover all names, else new ones.
 * @throws AppError UNPROCESSABLE when the folder has files that are not ours, or damaged ones
 */
export async function loadDevelopmentTls({ folder, hosts, now }: TlsOptions): Promise<DevelopmentTls> {
  const names = [...new Set([...LOCAL_NAMES, ...hosts])];
  // The library is loaded on use: most starts have nothing to make.
  const library = () => import('./certificates.ts');
  const authority = await loadOrMake({
    folder,
    file: AUTHORITY_FILE,
    isOurs: ({ ca, subject }) => ca && subject === `CN=${AUTHORITY_NAME}`,
    isUsable: (certificate) => isFresh(certificate, now),
    make: async () => (await library()).makeAuthority(AUTHORITY_NAME, now),
  });
  const { publicKey } = new X509Certificate(authority.cert);
  const server = await loadOrMake({
    folder,
    file: SERVER_FILE,
    isOurs: ({ ca }) => !ca,
    isUsable: (certificate) =>
      isFresh(certificate, now) && certificate.verify(publicKey) && names.every((name) => covers(certificate, name)),
    make: async () => (await library()).makeServerCertificate(authority, names, now),
  });
  return {
    cert: server.cert,
    key: server.key,
    ...(await publish(folder, authority.cert)),
    caBundle: Buffer.from(authority.cert).toString('base64'),
    isNewAuthority: authority.isNew,
  };
}

interface Kept {
  readonly folder: PrivateFolder | undefined;
  readonly file: string;
  readonly isOurs: (certificate: X509Certificate) => boolean;
  /** Else another is made in its place. */
  readonly isUsable: (certificate: X509Certificate) => boolean;
  readonly make: () => Promise<CertifiedKey>;
}

async function loadOrMake({ folder, file, isOurs, isUsable, make }: Kept): Promise<CertifiedKey & { isNew: boolean }> {
  const text = await folder?.read(file);
  if (folder !== undefined && text !== undefined) {
    const certificate = parsePair(text);
    if (certificate === undefined || !isOurs(certificate)) throw broken(folder.path(file));
    if (isUsable(certificate)) return { cert: certificate.toString(), key: text, isNew: false };
  }
  const made = await make();
  await folder?.write(file, made.key + made.cert);
  return { ...made, isNew: true };
}

/** The certificate of a text that holds it and its private key, both PEM. */
function parsePair(text: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(text);
    return certificate.checkPrivateKey(createPrivateKey(text)) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function isFresh({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && now < validToDate.getTime() - RENEW_BEFORE_MS;
}

function covers(certificate: X509Certificate, name: string): boolean {
  const found = isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' });
  return found !== undefined;
}

/** Puts the certificate of the CA where curl can read it: without a folder in one of this run's own, which ends with it. */
async function publish(
  folder: PrivateFolder | undefined,
  cert: string,
): Promise<Pick<DevelopmentTls, 'caFile' | 'close'>> {
  if (folder !== undefined) {
    await folder.write(CA_CERTIFICATE_FILE, cert);
    return { caFile: folder.path(CA_CERTIFICATE_FILE), close: async () => {} };
  }
  const own = await mkdtemp(join(tmpdir(), 'roundhouse-ca-'));
  const caFile = join(own, CA_CERTIFICATE_FILE);
  await writeFile(caFile, cert);
  return { caFile, close: () => rm(own, { recursive: true, force: true }) };
}

function broken(path: string): AppError {
  const hint = 'Move it away, and another is made; after a new CA, CRDs that were patched need the patch again.';
  const reason = 'it does not hold a certificate and its key that Roundhouse made';
  return new AppError('UNPROCESSABLE', `The file ${path} cannot be used: ${reason}. ${hint}`);
}
