import { Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { ManyResources } from './grants.ts';

/**
 * The bucket of uploaded packages, `apps/<app>/<artifact>.zip`.
 *
 * A release names its package by version id. An upload to a key that a release has already makes that version a noncurrent
 * one, and a rollback years later needs it all the same: so there is no rule by which noncurrent versions end. `worker`
 * removes every version of a package when the last release with it goes.
 */
export class Artifacts extends Construct {
  readonly bucket: Bucket;
  readonly packages: ManyResources;

  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      versioned: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        {
          id: 'UnfinishedUploads',
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          expiredObjectDeleteMarker: true,
        },
      ],
      removalPolicy,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'Only api and worker reach it, and the audit log has who uploaded and deployed what. A bucket of access logs would be one more to keep.',
    });
    this.packages = {
      arn: this.bucket.arnForObjects('apps/*'),
      why: 'People upload packages while the stack runs; the bucket holds nothing but packages of apps.',
    };
  }
}
