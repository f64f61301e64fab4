import { type RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { AppBoundary } from './app-boundary.ts';
import type { AppResources } from './app-grants.ts';
import { type AppScope, createAppScope } from './app-scope.ts';
import { Artifacts } from './artifacts.ts';
import type { FunctionDefaults } from './service-function.ts';
import type { ConfigTable } from './table.ts';
import { WorkQueue } from './work-queue.ts';

interface AppsProps {
  readonly table: ConfigTable;
  /** Of what apps have when the stack is gone: their packages, and the boundary of their roles. */
  readonly removalPolicy: RemovalPolicy;
}

/** What `api`, `worker` and `reconcile` share for apps. The apps themselves are in no stack: `worker` makes them. */
export class Apps extends Construct implements AppResources {
  readonly scope: AppScope;
  readonly artifacts: Artifacts;
  readonly work: WorkQueue;
  readonly boundary: AppBoundary;
  readonly secretsLayer: string;

  constructor(parent: Construct, id: string, defaults: FunctionDefaults, { table, removalPolicy }: AppsProps) {
    super(parent, id);
    this.scope = createAppScope(Stack.of(this), defaults.stage);
    this.artifacts = new Artifacts(this, 'Artifacts', { removalPolicy });
    this.work = new WorkQueue(this, 'Work', defaults);
    this.boundary = new AppBoundary(this, 'Boundary', {
      scope: this.scope,
      table: table.table,
      artifacts: this.artifacts,
      removalPolicy,
    });
    // A layer that is replaced or gone goes on serving the functions that have it.
    this.secretsLayer = new LayerVersion(this, 'SecretsLayer', {
      description: `Gives apps of Roundhouse their secrets as variables, stage ${defaults.stage}`,
      code: Code.fromAsset(`${defaults.bundles}/secrets-layer`),
      compatibleRuntimes: [Runtime.NODEJS_22_X, Runtime.NODEJS_24_X],
      compatibleArchitectures: [Architecture.ARM_64, Architecture.X86_64],
    }).layerVersionArn;
  }
}
