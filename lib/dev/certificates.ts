// @peculiar/x509 needs this one before it.
import 'reflect-metadata';
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate and its private key, both PEM. */
export interface CertifiedKey {
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
/** It is written into CRDs, so it should outlive the work on them. */
const AUTHORITY_DAYS = 3_650;
const SERVER_DAYS = 365;
/** The clock in the virtual machine of a container tool can be behind. */
const SKEW_MS = DAY_MS;

/** A CA of its own, which can sign server certificates and no other CA. */
export async function makeAuthority(name: string, now: number): Promise<CertifiedKey> {
  const keys = await makeKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity(now, AUTHORITY_DAYS),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return render(cert, keys);
}

/** A server certificate for these DNS names and IP addresses. */
export async function makeServerCertificate(
  authority: CertifiedKey,
  names: readonly string[],
  now: number,
): Promise<CertifiedKey> {
  const keys = await makeKeys();
  const issuer = new X509Certificate(authority.cert);
  const cert = await X509CertificateGenerator.create({
    subject: 'CN=Roundhouse development server',
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    ...validity(now, SERVER_DAYS),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return render(cert, keys);
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(now: number, days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(now - SKEW_MS), notAfter: new Date(now + days * DAY_MS) };
}

function render(cert: X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): CertifiedKey {
  const key = KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { cert: `${cert.toString('pem')}\n`, key };
}
