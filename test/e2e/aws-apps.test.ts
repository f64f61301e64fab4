import { createHash, randomUUID } from 'node:crypto';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  ListTagsLogGroupCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { BatchDeleteImageCommand, CreateRepositoryCommand, ECRClient, PutImageCommand } from '@aws-sdk/client-ecr';
import {
  AttachRolePolicyCommand,
  CreatePolicyCommand,
  DeleteRolePermissionsBoundaryCommand,
  DeleteRolePolicyCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { CreateBucketCommand, PutBucketVersioningCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Code } from '../../lib/apps/model.ts';
import type { Roles } from '../../lib/apps/ports.ts';
import { createImages } from '../../lib/apps/runtime/images.ts';
import { createLambdaRuntime, type LambdaRuntime } from '../../lib/apps/runtime/lambda.ts';
import { createLogGroups } from '../../lib/apps/runtime/log-groups.ts';
import { artifactKey } from '../../lib/apps/runtime/names.ts';
import { renderRolePolicy, TRUST } from '../../lib/apps/runtime/role-policy.ts';
import { createRoles } from '../../lib/apps/runtime/roles.ts';
import { type Differences, describeRuntime } from '../contract/runtime-suite.ts';
import { zipOf } from '../support/lambda-emulator.ts';
import { startMoto } from './support/moto.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';
import { MOTO } from './tools/tools.ts';

/** In what moto 5.2.5 is not like Lambda. A test of each must fail there. */
const DIFFERENCES: Differences = {
  'runs code': 'moto answers an invocation with its event, and nobody is at its URLs',
  'asynchronous updates': 'moto is done with an update when it answers',
  'revision ids of functions': 'moto gives functions none',
  'revision ids of aliases': 'moto does not look at them',
  'one version for what did not change': 'moto publishes anew when there was an update before the first version',
  'aliases hold their version': 'moto removes it under the alias',
  'conflict over an alias': 'moto calls it ConflictException, which Lambda does not have',
  'a policy change is a new revision of the alias': 'moto changes no revision id',
  'invocations of what is there only': 'moto answers for any function and version',
  'versions of what is there only': 'moto has an empty list',
  'packages that are there only':
    'moto makes a function without code of a missing object, and does not look at versions',
  'images that are there only': 'moto looks for none, as it is started here',
  'package types': 'moto takes an image for a function of a package',
  'bounds of settings': 'moto has none',
  '4 KB of variables': 'moto takes more',
  'a reservation of 0 refuses invocations': 'moto answers none the less',
  'reserved concurrency of 0': 'moto does not show it',
  'pool of concurrency': 'moto has no pool, as it is started here',
  'account settings': 'moto answers GetAccountSettings with a page of HTML',
};

const ACCOUNT = '123456789012';
const REGION = 'us-east-1';
/** Of this run: the emulator may be another's, and is not reset. */
const RUN = `e${process.pid}`;

describe.runIf(canRun('aws', [MOTO]))('the adapters of apps on an emulator that is not our own', () => {
  let workbench: Workbench;
  let client: { readonly endpoint: string; readonly region: string; readonly credentials: any };

  beforeAll(async () => {
    workbench = openWorkbench();
    const { url: endpoint } = await startMoto(workbench);
    client = { endpoint, region: REGION, credentials: { accessKeyId: 'e2e', secretAccessKey: 'e2e' } };
  });
  afterAll(() => workbench.close());

  describe('Lambda', () => {
    let runtime: LambdaRuntime | undefined;
    afterAll(() => runtime?.close());

    describeRuntime(
      'the driver on Lambda of moto',
      async () => {
        const bucket = `artifacts-${RUN}`;
        const s3 = await openBucket(bucket);
        const boundaryArn = await makeBoundary('runtime');
        const roles = createRoles({ stage: RUN, region: REGION, client, boundaryArn });
        const present = await pushImage('runtime', '1', 'content');
        runtime = createLambdaRuntime({ stage: RUN, client, artifactBucket: bucket });
        return {
          runtime,
          async upload(app, source) {
            const [artifact, Body] = [`art_${randomUUID()}`, zipOf({ 'index.mjs': source })];
            const put = new PutObjectCommand({ Bucket: bucket, Key: artifactKey(app, artifact), Body });
            const { VersionId: versionId = '' } = await s3.send(put);
            return { kind: 'zip', artifact, versionId, bytes: Body.length };
          },
          images: { present, absent: { ...present, digest: `sha256:${'b'.repeat(64)}` } },
          roleArn: await roles.ensure('shop'),
          holdUpdates: () => ({ release() {} }),
        };
      },
      DIFFERENCES,
    );
  });

  async function openBucket(Bucket: string): Promise<S3Client> {
    const s3 = new S3Client({ ...client, forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket }));
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    return s3;
  }

  async function makeBoundary(name: string): Promise<string> {
    const PolicyDocument = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: ['logs:PutLogEvents', 'ssm:GetParametersByPath'], Resource: '*' }],
    });
    const create = new CreatePolicyCommand({ PolicyName: `boundary-${name}-${RUN}`, PolicyDocument });
    return `${(await new IAMClient(client).send(create)).Policy?.Arn}`;
  }

  async function pushImage(name: string, tag: string, content: string): Promise<Extract<Code, { kind: 'image' }>> {
    const ecr = new ECRClient(client);
    const repositoryName = `${name}-${RUN}`;
    await ecr.send(new CreateRepositoryCommand({ repositoryName })).catch(() => {});
    const put = new PutImageCommand({ repositoryName, imageTag: tag, imageManifest: manifest(content) });
    const { image } = await ecr.send(put);
    return {
      kind: 'image',
      uri: `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/${repositoryName}:${tag}`,
      digest: `${image?.imageId?.imageDigest}`,
    };
  }

  describe('the role of an app', () => {
    let iam: IAMClient;
    let boundaryArn: string;
    let roles: Roles;
    const name = (app: string) => ({ RoleName: `roundhouse_${RUN}_${app}` });
    const policyOf = (app: string) => ({ ...name(app), PolicyName: 'app' });
    const find = async (app: string) => (await iam.send(new GetRoleCommand(name(app)))).Role;
    const parse = (document: string | undefined) => JSON.parse(decodeURIComponent(`${document}`));

    beforeAll(async () => {
      iam = new IAMClient(client);
      boundaryArn = await makeBoundary('roles');
      roles = createRoles({ stage: RUN, region: REGION, client, boundaryArn });
    });

    test('is made with path, trust, boundary, tags and policy, and twice is as once', async () => {
      const arn = await roles.ensure('made');
      expect(arn).toBe(`arn:aws:iam::${ACCOUNT}:role/roundhouse/${RUN}/roundhouse_${RUN}_made`);
      expect(await roles.ensure('made')).toBe(arn);
      const role = await find('made');
      expect(role).toMatchObject({
        Path: `/roundhouse/${RUN}/`,
        PermissionsBoundary: { PermissionsBoundaryArn: boundaryArn },
        Tags: expect.arrayContaining([{ Key: 'roundhouse:app', Value: 'made' }]),
      });
      expect(parse(role?.AssumeRolePolicyDocument)).toEqual(TRUST);
      const { PolicyDocument } = await iam.send(new GetRolePolicyCommand(policyOf('made')));
      const place = { stage: RUN, partition: 'aws', region: REGION, account: ACCOUNT };
      expect(parse(PolicyDocument)).toEqual(renderRolePolicy(place, 'made'));
    });

    const WIDE = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };
    const OPEN = { ...TRUST, Statement: [{ ...TRUST.Statement[0], Principal: { Service: 'ec2.amazonaws.com' } }] };
    test.each<[string, (app: string) => Promise<unknown>]>([
      ['has no boundary', (app) => iam.send(new DeleteRolePermissionsBoundaryCommand(name(app)))],
      ['has no policy', (app) => iam.send(new DeleteRolePolicyCommand(policyOf(app)))],
      [
        'has a wider policy',
        (app) => iam.send(new PutRolePolicyCommand({ ...policyOf(app), PolicyDocument: JSON.stringify(WIDE) })),
      ],
      [
        'trusts another service',
        (app) => {
          const PolicyDocument = JSON.stringify(OPEN);
          return iam.send(new UpdateAssumeRolePolicyCommand({ ...name(app), PolicyDocument }));
        },
      ],
    ])('is repaired when it %s', async (title, damage) => {
      const app = `repaired-${title.replaceAll(' ', '-')}`.slice(0, 32);
      await roles.ensure(app);
      const before = [await find(app), (await iam.send(new GetRolePolicyCommand(policyOf(app)))).PolicyDocument];
      await damage(app);
      await roles.ensure(app);
      expect([await find(app), (await iam.send(new GetRolePolicyCommand(policyOf(app)))).PolicyDocument]).toEqual(
        before,
      );
    });

    test('is removed with its policies, twice as once', async () => {
      await roles.ensure('removed');
      await iam.send(
        new PutRolePolicyCommand({ ...name('removed'), PolicyName: 'more', PolicyDocument: JSON.stringify(WIDE) }),
      );
      await roles.remove('removed');
      await expect(find('removed')).rejects.toMatchObject({ name: 'NoSuchEntityException' });
      await roles.remove('removed');
    });

    test('is kept while a policy that somebody attached holds it, and that is said', async () => {
      await roles.ensure('held');
      await iam.send(new AttachRolePolicyCommand({ ...name('held'), PolicyArn: boundaryArn }));
      await expect(roles.remove('held')).rejects.toMatchObject({ name: 'RuntimeError', code: 'conflict' });
    });
  });

  describe('the log group of an app', () => {
    test('is made with retention and tags, and removed, each twice as once', async () => {
      const logs = new CloudWatchLogsClient(client);
      const groups = createLogGroups({ stage: RUN, client, retentionDays: 30 });
      const find = async () => {
        const logGroupNamePrefix = groups.nameOf('shop');
        return (await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix }))).logGroups;
      };
      await groups.ensure('shop');
      await groups.ensure('shop');
      expect(await find()).toMatchObject([{ logGroupName: `/roundhouse/${RUN}/shop`, retentionInDays: 30 }]);
      const { tags } = await logs.send(new ListTagsLogGroupCommand({ logGroupName: groups.nameOf('shop') }));
      expect(tags).toEqual({ 'roundhouse:stage': RUN, 'roundhouse:app': 'shop' });
      await groups.remove('shop');
      await groups.remove('shop');
      expect(await find()).toEqual([]);
    });
  });

  describe('an image of ECR', () => {
    const open = () => createImages({ stage: RUN, account: ACCOUNT, region: REGION, client });

    test('is pinned to its digest, and stays that when the tag moves', async () => {
      const images = open();
      // moto forgets an image that has lost its last tag.
      await pushImage('pinned', '1', 'first');
      const first = await pushImage('pinned', 'latest', 'first');
      const code = await images.resolve(first.uri);
      expect(code).toEqual(first);
      const second = await pushImage('pinned', 'latest', 'second');
      expect(second.digest).not.toBe(first.digest);
      expect(await images.resolve(first.uri)).toEqual(second);
      expect(await images.resolve(`${first.uri.replace(':latest', '')}@${first.digest}`)).toMatchObject({
        digest: first.digest,
      });
      expect(await images.exists(code)).toBe(true);
    });

    test('that was removed does not exist, and is not resolved', async () => {
      const images = open();
      const code = await pushImage('removed', '1', 'content');
      const own = { repositoryName: `removed-${RUN}`, imageIds: [{ imageDigest: code.digest }] };
      await new ECRClient(client).send(new BatchDeleteImageCommand(own));
      expect(await images.exists(code)).toBe(false);
      await expect(images.resolve(code.uri)).rejects.toMatchObject({ code: 'image_unreadable' });
    });

    test('of a repository that is not there does not exist, and is not resolved', async () => {
      const images = open();
      const uri = `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/none-${RUN}:1`;
      await expect(images.resolve(uri)).rejects.toMatchObject({ code: 'image_unreadable' });
      expect(await images.exists({ kind: 'image', uri, digest: `sha256:${'a'.repeat(64)}` })).toBe(false);
    });
  });
});

function manifest(content: string): string {
  const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      size: 7,
      digest: digestOf(`config of ${content}`),
    },
    layers: [
      {
        mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
        size: 7,
        digest: digestOf(`layer of ${content}`),
      },
    ],
  });
}
