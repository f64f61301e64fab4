import { Buffer } from 'node:buffer';
import type { FunctionCode, FunctionConfiguration } from '@aws-sdk/client-lambda';
import type { Context } from '../context.ts';
import { invalid, LambdaError } from '../errors.ts';
import type { CodeRef } from '../model.ts';
import { tooLargeRequest } from '../validation.ts';

export interface LoadedCode {
  readonly code: CodeRef;
  readonly facts: Pick<FunctionConfiguration, 'CodeSha256' | 'CodeSize' | 'PackageType'>;
}

/** Lambda's quota for a package in a request, 50 MB zipped. */
const MAX_ZIP_BYTES = 52_428_800;
const ECR_IMAGE = /^\d{12}\.dkr\.ecr\.[a-z\d-]+\.amazonaws\.com\/[a-z\d][a-z\d._/-]*(?::[\w.-]+|@sha256:[a-f\d]{64})$/;

/**
 * Brings the code of a creation or an update into the store.
 * @param packageType what the function is, or shall be
 * @throws LambdaError as Lambda refuses it
 */
export async function loadCode(
  context: Context,
  input: FunctionCode,
  packageType: 'Zip' | 'Image',
  operation: string,
): Promise<LoadedCode> {
  if (packageType === 'Image') return loadImage(context, input);
  if (input.ImageUri !== undefined) {
    throw invalid(
      operation === 'CreateFunction'
        ? 'Please do not provide ImageUri when creating a function with packageType Zip.'
        : 'Please do not provide ImageUri when updating a function with packageType Zip.',
    );
  }
  const zip = await readPackage(context, input, operation);
  const { code, sha256, bytes } = await context.codes.put(zip);
  const total = usedCodeBytes(context) + bytes;
  if (total > context.limits.codeBytes) {
    throw new LambdaError('CodeStorageExceededException', 'Code storage limit exceeded.');
  }
  return { code: { kind: 'zip', code }, facts: { CodeSha256: sha256, CodeSize: bytes, PackageType: 'Zip' } };
}

/** Bytes of all packages of all versions, as Lambda counts them. */
export function usedCodeBytes({ functions }: Context): number {
  const versions = [...functions.values()].flatMap(({ latest, versions }) => [latest, ...Object.values(versions)]);
  return versions.reduce((sum, { config }) => sum + (config.CodeSize ?? 0), 0);
}

async function readPackage(context: Context, input: FunctionCode, operation: string): Promise<Uint8Array> {
  if (input.ZipFile !== undefined) {
    // Base64 on the wire, where the SDK's type has bytes.
    const zip = Buffer.from(`${input.ZipFile}`, 'base64');
    if (zip.length > MAX_ZIP_BYTES) throw tooLargeRequest(MAX_ZIP_BYTES, operation);
    return zip;
  }
  const { S3Bucket: bucket, S3Key: key, S3ObjectVersion: versionId } = input;
  if (bucket === undefined || key === undefined) {
    throw invalid('Please provide a source for function code.');
  }
  const zip = await context.readObject({ bucket, key, ...(versionId !== undefined && { versionId }) });
  if (zip !== undefined) return zip;
  const [code, text] =
    versionId === undefined
      ? ['NoSuchKey', 'The specified key does not exist.']
      : ['NoSuchVersion', 'The specified version does not exist.'];
  throw invalid(`Error occurred while GetObject. S3 Error Code: ${code}. S3 Error Message: ${text}`);
}

function loadImage(context: Context, { ImageUri: uri, ZipFile, S3Bucket, S3Key }: FunctionCode): LoadedCode {
  if (uri === undefined || ZipFile !== undefined || S3Bucket !== undefined || S3Key !== undefined) {
    throw invalid('Please provide ImageUri when updating a function with packageType Image.');
  }
  if (!ECR_IMAGE.test(uri)) {
    throw invalid(`Source image ${uri} is not valid. Provide a valid source image.`);
  }
  const digest = context.findImage(uri);
  if (digest === undefined) throw invalid(`Source image ${uri} does not exist. Provide a valid source image.`);
  const repository = uri.replace(/(@.*|:[\w.-]+)$/, '');
  return {
    code: { kind: 'image', uri, resolvedUri: `${repository}@${digest}` },
    facts: { CodeSha256: digest.replace('sha256:', ''), CodeSize: 0, PackageType: 'Image' },
  };
}
