import { type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  DomainName,
  EndpointType,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

interface ConvertDomainProps {
  readonly stage: string;
  readonly domainName: string;
  /** An ACM certificate for the name, in the Region of the stack. */
  readonly certificateArn: string;
  readonly alias: Alias;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
}

/**
 * A name of your own for `convert`: an HTTP API whose events have the same shape as a function URL's (payload 2.0). Its
 * requests may have 10 MB, but Lambda's 6 MB limit stays; it waits 30 s, as the apiserver does.
 */
export class ConvertDomain extends Construct {
  readonly apiId: string;
  /** What the name's DNS record (CNAME, or ALIAS) must point at. */
  readonly dnsTarget: string;

  constructor(scope: Construct, id: string, props: ConvertDomainProps) {
    super(scope, id);
    const domainName = new DomainName(this, 'Name', {
      domainName: props.domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', props.certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    const api = new HttpApi(this, 'Api', {
      apiName: `roundhouse-${props.stage}-convert`,
      description: `${props.domainName}: conversion reviews for Roundhouse`,
      createDefaultStage: false,
      disableExecuteApiEndpoint: true,
    });
    const logs = new LogGroup(this, 'AccessLogs', {
      retention: props.logRetention,
      removalPolicy: props.removalPolicy,
    });
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      domainMapping: { domainName },
      accessLogSettings: { destination: new LogGroupLogDestination(logs), format: accessLogFormat() },
    });
    const routes = api.addRoutes({
      path: '/convert/{path+}',
      methods: [HttpMethod.POST],
      integration: new HttpLambdaIntegration('Convert', props.alias as IFunction, {
        payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      }),
    });
    for (const route of routes) {
      Validations.of(route).acknowledge({
        id: 'AwsSolutions::AwsSolutions-APIG4',
        reason:
          'Apiservers cannot sign requests: the path has a token of 192 random bits, which convert checks in constant time.',
      });
    }
    this.apiId = api.apiId;
    this.dnsTarget = domainName.regionalDomainName;
  }
}

/** Never the path: it has the token. */
function accessLogFormat(): AccessLogFormat {
  const fields = ['requestId', 'requestTime', 'identity.sourceIp', 'routeKey', 'status', 'responseLength'];
  const latency = ['responseLatency', 'integrationLatency', 'integrationErrorMessage'];
  const entries = [...fields, ...latency].map((name) => [name, `$context.${name}`]);
  return AccessLogFormat.custom(JSON.stringify(Object.fromEntries(entries)));
}
