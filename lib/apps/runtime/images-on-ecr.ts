import { DescribeImagesCommand, ECRClient, type ECRClientConfig, type ImageDetail } from '@aws-sdk/client-ecr';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import type { Images } from '../ports.ts';
import { callAws } from './aws-error.ts';
import { type EcrImage, parseEcrImage } from './ecr-image.ts';
import { RuntimeError } from './runtime.ts';

export interface ImageOptions {
  readonly stage: string;
  /** Lambda takes images of its own account and Region only. */
  readonly account: string;
  readonly region: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<ECRClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/** A list of images for several platforms, or of one and its attestations, which `docker buildx` makes by itself. */
const LISTS = new Set([
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]);

export function createEcrImages(options: ImageOptions): Images {
  const client = new ECRClient({
    ...options.client,
    maxAttempts: 3,
    requestHandler: requestTimeouts(options.attemptMs),
    cacheMiddleware: true,
  });
  /** Undefined: the repository or the image is not there. */
  const find = async ({ repository: repositoryName, tag: imageTag, digest: imageDigest }: EcrImage) => {
    const imageIds = [imageDigest === undefined ? { imageTag } : { imageDigest }];
    try {
      const command = new DescribeImagesCommand({ repositoryName, imageIds });
      return (await callAws({ service: 'ECR' }, () => client.send(command))).imageDetails?.[0];
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      if (error.code === 'not_found') return undefined;
      if (error.code !== 'permission_denied') throw error;
      throw unreadable(
        `Roundhouse may not read the ECR repository ${repositoryName}. Give it the tag roundhouse:stage with the value ${options.stage}.`,
      );
    }
  };
  return {
    async resolve(image) {
      const parsed = parseOwn(image, options);
      const digest = digestOf(image, await find(parsed));
      return { kind: 'image', uri: image, digest };
    },
    async exists({ uri, digest }) {
      return (await find({ ...parseOwn(uri, options), digest })) !== undefined;
    },
  };
}

function parseOwn(image: string, { account, region }: ImageOptions): EcrImage {
  const parsed = parseEcrImage(image);
  if (parsed === undefined)
    throw unreadable(
      `The image ${quote(image)} is not one of ECR with a tag or a digest. Push it to ECR of this account.`,
    );
  if (parsed.account !== account || parsed.region !== region)
    throw unreadable(
      `The image ${quote(image)} is in account ${parsed.account}, Region ${parsed.region}; Lambda takes images of its own account and Region (${region}) only. Push it there.`,
    );
  return parsed;
}

function digestOf(image: string, found: ImageDetail | undefined): string {
  if (found?.imageDigest === undefined)
    throw unreadable(`ECR has no image ${quote(image)}. Look at the tag, or push it.`);
  if (LISTS.has(found.imageManifestMediaType ?? ''))
    throw unreadable(
      `The image ${quote(image)} is a list of images, which Lambda cannot run. Build it for one platform and with --provenance=false, and push it again.`,
    );
  return found.imageDigest;
}

function unreadable(text: string): RuntimeError {
  return new RuntimeError('image_unreadable', text);
}

function quote(image: string): string {
  return JSON.stringify(image.slice(0, 256));
}
