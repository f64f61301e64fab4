import { Duration, MissingRemovalPolicies, RemovalPolicy } from 'aws-cdk-lib';
import type { Alias, CfnAlias, CfnFunction, CfnUrl } from 'aws-cdk-lib/aws-lambda';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { CONVERT_ACCESS } from '../../lib/store/access.ts';
import type { Settings } from '../settings.ts';
import { ConvertDomain } from './convert-domain.ts';
import { Deployment } from './deployment.ts';
import { type FunctionDefaults, ServiceFunction } from './service-function.ts';
import type { ConfigTable } from './table.ts';

/**
 * The function that answers conversion reviews, with its URL.
 *
 * The host name of that URL is written into every CRD of a fleet, and it changes when function, alias or URL is made
 * anew. So their logical ids are fixed, whatever the constructs above them are called, and all that the function needs to
 * answer there, and at its domain, is retained when the stack is deleted (unless the stage is a trial,
 * `removalPolicy=destroy`).
 */
export class Convert extends Construct {
  readonly service: ServiceFunction;
  /** `https://host`, as CRDs have it: the domain where there is one, else the function URL. */
  readonly url: string;
  readonly functionUrl: string;
  readonly domain: ConvertDomain | undefined;

  constructor(scope: Construct, id: string, defaults: FunctionDefaults, settings: Settings, table: ConfigTable) {
    super(scope, id);
    this.service = new ServiceFunction(this, 'Service', defaults, {
      service: 'convert',
      description: 'Answers ConversionReview requests',
      memorySize: settings.convertMemory,
      // The apiserver waits 30 s; reviews end after CONVERT_DEADLINE_MS (10 s) by themselves.
      timeout: Duration.seconds(29),
      environment: { TABLE_NAME: table.table.tableName },
      tracing: settings.convertTracing,
      reservedConcurrency: settings.convertReservedConcurrency,
    });
    table.allow(this.service.role, CONVERT_ACCESS);
    const alias = this.service.publish(settings.convertProvisionedConcurrency);
    const functionUrl = alias.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    fixLogicalIds(this.service, alias, functionUrl.node.defaultChild as CfnUrl);
    if (settings.removalPolicy === 'retain') {
      // A version that a failed deployment made must go with it: kept, it would be the newest one, and publishing the same
      // code again would be refused.
      this.service.function.currentVersion.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
      MissingRemovalPolicies.of(this).retain();
    }

    const { convertDomain: domainName, convertCertificateArn: certificateArn } = settings;
    this.domain =
      domainName === undefined || certificateArn === undefined
        ? undefined
        : new ConvertDomain(this, 'Domain', { ...defaults, domainName, certificateArn, alias });
    this.functionUrl = functionUrl.url;
    this.url = this.domain ? `https://${domainName}` : this.functionUrl;
    // Beside this construct, not in it: what deploys is not needed to go on answering, so it is not kept.
    new Deployment(scope, 'ConvertDeployment', defaults, {
      check: 'convert',
      deployed: this.service,
      alias,
      deploy: settings.deploy,
    });
  }
}

function fixLogicalIds(service: ServiceFunction, alias: Alias, url: CfnUrl): void {
  (service.function.node.defaultChild as CfnFunction).overrideLogicalId('ConvertFunction');
  (alias.node.defaultChild as CfnAlias).overrideLogicalId('ConvertAlias');
  url.overrideLogicalId('ConvertUrl');
}
