import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** After so many deliveries of a message the work is given up as lost. */
const MAX_RECEIVES = 5;
/** `worker` ends after 60 s; a message comes again when it is certain that nobody works on it any more. */
const VISIBILITY = Duration.seconds(90);

/**
 * The queue of work, in order for each app, and the queue of messages that were given up. The names are fixed: SQS wants
 * FIFO queues to end in `.fifo`, and `worker` tells the two apart by theirs.
 *
 * A message says only which app to look at, so losing one loses nothing: the fast pass of `reconcile` sends it again.
 */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly dead: Queue;

  constructor(scope: Construct, id: string, { stage }: { readonly stage: string }) {
    super(scope, id);
    const common: QueueProps = {
      fifo: true,
      // The sender says what is the same message: two deploys of one app differ in nothing but that.
      contentBasedDeduplication: false,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: VISIBILITY,
    };
    this.dead = new Queue(this, 'Dead', {
      ...common,
      queueName: `roundhouse-${stage}-work-dead.fifo`,
      // The longest there is, and counted from the day of the first queue.
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      queueName: `roundhouse-${stage}-work.fifo`,
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.dead, maxReceiveCount: MAX_RECEIVES },
    });
  }
}
