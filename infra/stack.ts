import { type App, CfnOutput, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Alarms } from './constructs/alarms.ts';
import { Api } from './constructs/api.ts';
import { Apps } from './constructs/apps.ts';
import { Convert } from './constructs/convert.ts';
import { Dashboard } from './constructs/dashboard.ts';
import { Reconcile } from './constructs/reconcile.ts';
import type { FunctionDefaults } from './constructs/service-function.ts';
import { Synthetic } from './constructs/synthetic.ts';
import { ConfigTable } from './constructs/table.ts';
import { Worker } from './constructs/worker.ts';
import type { Settings } from './settings.ts';

interface RoundhouseProps extends Pick<StackProps, 'env'> {
  readonly settings: Settings;
  /** Folder with the bundles of all functions. */
  readonly bundles: string;
}

/** One stage of Roundhouse. Everything in it is named after the stage or by CloudFormation, so stages share an account. */
export class RoundhouseStack extends Stack {
  constructor(app: App, { settings, bundles, env }: RoundhouseProps) {
    const { stage } = settings;
    const tags = { 'roundhouse:stage': stage };
    super(app, `Roundhouse-${stage}`, {
      description: `Roundhouse, stage ${stage}: Kubernetes CRD conversion from declarative rules, and apps`,
      tags,
      ...(env && { env }),
    });
    for (const [name, value] of Object.entries(tags)) Tags.of(this).add(name, value);
    const retain = settings.removalPolicy === 'retain';
    const defaults: FunctionDefaults = {
      stage,
      bundles,
      logRetention: settings.logRetentionDays satisfies number as RetentionDays,
      // What a failed first deployment made goes away again, so that the next one starts from nothing.
      removalPolicy: retain ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    };
    const table = new ConfigTable(this, 'Table', { retain, customerKey: settings.customerKey });
    const convert = new Convert(this, 'Convert', defaults, settings, table);
    const apps = new Apps(this, 'Apps', defaults, { table, removalPolicy: defaults.removalPolicy });
    const api = new Api(this, 'Api', defaults, settings, { table, convertUrl: convert.url, apps });
    const worker = new Worker(this, 'Worker', defaults, settings, { table, apps });
    const reconcile = new Reconcile(this, 'Reconcile', defaults, { table, apps });
    new Synthetic(this, 'Synthetic', defaults, { convertUrl: convert.url });
    const observed = {
      stage,
      convert: convert.service.function,
      api: api.service.function,
      worker: worker.service.function,
      reconcile: reconcile.service.function,
      work: apps.work,
      table: table.table,
      ...(convert.domain && { httpApiId: convert.domain.apiId }),
      ...(settings.alarmEmail !== undefined && { alarmEmail: settings.alarmEmail }),
    };
    const alarms = new Alarms(this, 'Alarms', observed);
    new Dashboard(this, 'Dashboard', { ...observed, alarms });
    this.#output(
      'ConvertUrl',
      convert.url,
      'Where apiservers reach convert: GET /api/v1/configs/{target}/patch has it',
    );
    this.#output('ApiUrl', api.url, 'The HTTP API');
    this.#output('TableName', table.table.tableName, 'The DynamoDB table');
    this.#output('ArtifactBucket', apps.artifacts.bucket.bucketName, 'The bucket of uploaded packages');
    this.#output(
      'RootTokenCommand',
      `aws secretsmanager get-secret-value --region ${this.region} --query SecretString --output text --secret-id ${api.rootToken.secretArn}`,
      'Prints the first bearer token of the API',
    );
    if (convert.domain === undefined) return;
    this.#output('ConvertFunctionUrl', convert.functionUrl, 'The function URL of convert, behind its domain');
    this.#output('ConvertDomainTarget', convert.domain.dnsTarget, 'Point the DNS record of convertDomain here');
  }

  #output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description });
  }
}
