import { AppError } from '../../../errors.ts';
import { readSource } from '../../input/files.ts';
import type { Io } from '../../io.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PEM = '-----BEGIN CERTIFICATE-----';

export interface CaBundle {
  /** As a patch has it. */
  readonly base64: string;
  /** An apiserver takes nothing else. */
  readonly holdsCertificates: boolean;
}

/**
 * A CA bundle as the command line gives it: PEM, base64 of it (white space is ignored), or a file with either.
 * @throws AppError when it is none of these
 */
export async function readCaBundle(given: string, io: Io): Promise<CaBundle> {
  const inline = parse(given);
  if (inline?.holdsCertificates) return inline;
  const file = await readSource(given, 'CA bundle', io).catch(() => undefined);
  const bundle = file === undefined ? inline : parse(file.text);
  if (bundle !== undefined) return bundle;
  const found = file === undefined ? 'neither PEM, nor base64, nor a file' : 'a file with neither PEM nor base64';
  throw new AppError(
    'BAD_REQUEST',
    `--ca-bundle is ${found}: give the certificates of the CA that signed the server's`,
  );
}

function parse(text: string): CaBundle | undefined {
  if (text.includes('-----BEGIN')) {
    return { base64: Buffer.from(text).toString('base64'), holdsCertificates: text.includes(PEM) };
  }
  const base64 = text.replace(/\s/g, '');
  if (base64 === '' || !BASE64.test(base64)) return undefined;
  return { base64, holdsCertificates: Buffer.from(base64, 'base64').toString().includes(PEM) };
}
