import { describe, expect, test } from 'vitest';
import { createImages } from '../../../lib/apps/runtime/images.ts';
import { type Answer, refuse, startAwsStub } from './aws-stub.ts';

const IMAGE = '123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/shop';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const found = (imageManifestMediaType?: string): Answer => ({
  body: { imageDetails: [{ imageDigest: DIGEST, imageManifestMediaType }] },
});

async function open(...answers: readonly Answer[]) {
  const { client, received } = await startAwsStub(...answers);
  const images = createImages({ stage: 'dev', account: '123456789012', region: 'eu-west-1', client });
  return { images, received };
}

describe('resolve', () => {
  test.each([
    [`${IMAGE}:1.2`, { imageTag: '1.2' }],
    [`${IMAGE}@${DIGEST}`, { imageDigest: DIGEST }],
    [`${IMAGE}:1.2@${DIGEST}`, { imageDigest: DIGEST }],
  ])('pins %s to its digest', async (image, id) => {
    const { images, received } = await open(found('application/vnd.docker.distribution.manifest.v2+json'));
    expect(await images.resolve(image)).toEqual({ kind: 'image', uri: image, digest: DIGEST });
    expect(received).toMatchObject([{ body: { repositoryName: 'team/shop', imageIds: [id] } }]);
  });

  test.each<[string, string, Answer, RegExp]>([
    ['of another registry', 'public.ecr.aws/shop:1', {}, /is not one of ECR with a tag or a digest\. Push it/],
    [
      'of another account',
      `${IMAGE.replace('123456789012', '210987654321')}:1`,
      {},
      /account 210987654321, Region eu-west-1; .* Push it there\./,
    ],
    ['of another Region', `${IMAGE.replace('eu-west-1', 'us-east-1')}:1`, {}, /Region us-east-1; .* \(eu-west-1\)/],
    [
      'that is not there',
      `${IMAGE}:1`,
      refuse(400, 'ImageNotFoundException', 'no'),
      /ECR has no image .*team\/shop:1".* push it\./,
    ],
    [
      'whose repository is not there',
      `${IMAGE}:1`,
      refuse(400, 'RepositoryNotFoundException', 'no'),
      /ECR has no image/,
    ],
    ['that ECR does not tell of', `${IMAGE}:1`, { body: { imageDetails: [] } }, /ECR has no image/],
    [
      'whose repository is not tagged for us',
      `${IMAGE}:1`,
      refuse(400, 'AccessDeniedException', 'no'),
      /may not read the ECR repository team\/shop\. Give it the tag roundhouse:stage with the value dev\./,
    ],
    [
      'that is an index, as docker buildx makes it',
      `${IMAGE}:1`,
      found('application/vnd.oci.image.index.v1+json'),
      /for one platform and with --provenance=false/,
    ],
    [
      'that is a list',
      `${IMAGE}:1`,
      found('application/vnd.docker.distribution.manifest.list.v2+json'),
      /for one platform/,
    ],
  ])('refuses an image %s, and says what to do', async (_title, image, answer, text) => {
    const { images } = await open(answer);
    await expect(images.resolve(image)).rejects.toMatchObject({
      name: 'RuntimeError',
      code: 'image_unreadable',
      message: expect.stringMatching(text),
    });
  });

  test.each([
    ['unavailable', refuse(500, 'ServerException', 'no')],
    ['throttled', refuse(400, 'ThrottlingException', 'Rate exceeded')],
  ] as const)('does not blame the image when ECR is %s', async (code, answer) => {
    const { images, received } = await open(answer);
    await expect(images.resolve(`${IMAGE}:1`)).rejects.toMatchObject({ code });
    expect(received).toHaveLength(3);
  });
});

describe('exists', () => {
  const CODE = { kind: 'image', uri: `${IMAGE}:1.2`, digest: DIGEST } as const;

  test('asks for exactly the digest: the tag may be at another image now', async () => {
    const { images, received } = await open(found());
    expect(await images.exists(CODE)).toBe(true);
    expect(received).toMatchObject([{ body: { repositoryName: 'team/shop', imageIds: [{ imageDigest: DIGEST }] } }]);
  });

  test.each([
    ['the image', refuse(400, 'ImageNotFoundException', 'no')],
    ['the repository', refuse(400, 'RepositoryNotFoundException', 'no')],
  ])('is false where %s is gone', async (_what, answer) => {
    expect(await (await open(answer)).images.exists(CODE)).toBe(false);
  });

  test('is an error where nobody knows', async () => {
    await expect((await open('drop')).images.exists(CODE)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
