import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { type FunctionDefaults, ServiceFunction } from './service-function.ts';

interface SyntheticProps {
  /** Where apiservers reach `convert`, `https://host`. */
  readonly convertUrl: string;
}

/** Sends a review through the real URL every five minutes. It can do nothing but that, and write its logs. */
export class Synthetic extends Construct {
  constructor(scope: Construct, id: string, defaults: FunctionDefaults, { convertUrl }: SyntheticProps) {
    super(scope, id);
    const prober = new ServiceFunction(this, 'Prober', defaults, {
      service: 'synthetic',
      description: 'Sends a review through the URL of convert and checks the answer',
      memorySize: 256,
      timeout: Duration.seconds(30),
      environment: { CONVERT_URL: convertUrl },
    });
    // A review that is late says nothing about now: the next one comes soon.
    prober.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, 'Schedule', {
      description: `Synthetic review of Roundhouse, stage ${defaults.stage}`,
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaFunction(prober.function, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}
