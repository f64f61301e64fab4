import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Policy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { TableAccess, TableGrant } from '../../lib/store/access.ts';
import { ATTENTION_INDEX, PARTITION_KEY, SORT_KEY, TTL_ATTRIBUTE } from '../../lib/store/table.ts';

interface ConfigTableProps {
  /** Keep the table, and the key, when the stack is deleted, and let nobody delete the table by mistake. */
  readonly retain: boolean;
  /** Encrypt with a KMS key of this account, which costs a dollar a month and its calls; else with one that AWS owns. */
  readonly customerKey: boolean;
}

/** What DynamoDB does with the table's key in the name of whoever reads or writes an item. */
const KEY_USE_TO_READ = ['kms:Decrypt', 'kms:DescribeKey'];
const KEY_USE_TO_WRITE = [
  ...KEY_USE_TO_READ,
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** The single table, as `lib/store/table.ts` defines it, and who may do what with it. */
export class ConfigTable extends Construct {
  readonly table: Table;
  readonly #key: Key | undefined;

  constructor(scope: Construct, id: string, { retain, customerKey }: ConfigTableProps) {
    super(scope, id);
    const removalPolicy = retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    // The key's own policy is CDK's: `kms:*` for the account, without which policies of roles would not count for the key,
    // and nobody could ever change it.
    this.#key = customerKey
      ? new Key(this, 'Key', {
          description: `Encrypts the table of ${Stack.of(this).stackName}`,
          enableKeyRotation: true,
          pendingWindow: Duration.days(30),
          removalPolicy,
        })
      : undefined;
    this.table = new Table(this, 'Table', {
      partitionKey: { name: PARTITION_KEY, type: AttributeType.STRING },
      sortKey: { name: SORT_KEY, type: AttributeType.STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: retain,
      removalPolicy,
      ...(this.#key && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: this.#key }),
    });
    this.table.addGlobalSecondaryIndex({
      indexName: ATTENTION_INDEX.name,
      partitionKey: { name: ATTENTION_INDEX.pk, type: AttributeType.STRING },
      sortKey: { name: ATTENTION_INDEX.sk, type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
  }

  /**
   * Lets a role do what `access` lists and nothing else: one statement for each action. CDK's `grant…Data` are not used,
   * because they allow Scan, batches and indexes, and the whole table.
   *
   * The policy is a child of the role, so that a function with that role waits for it before it is made.
   */
  allow(role: Role, access: TableAccess): void {
    const grants = Object.entries(access) as [TableGrant, readonly string[]][];
    const statements = grants.map(([grant, partitions]) => this.#statement(grant, partitions));
    new Policy(role, 'TableAccess', { roles: [role], statements });
    if (this.#key === undefined) return;
    const keyAccess = new Policy(role, 'KeyAccess', {
      roles: [role],
      statements: [this.#keyStatement(this.#key, access)],
    });
    // DynamoDB uses the key in the name of the caller. A table that gets a key while it is in use waits until all callers
    // may use it, or they would be locked out for as long as the change takes.
    this.table.node.addDependency(keyAccess);
  }

  #statement(grant: TableGrant, partitions: readonly string[]): PolicyStatement {
    const keys = 'dynamodb:LeadingKeys';
    const ofIndex = grant === 'QueryAttention';
    return new PolicyStatement({
      sid: `Table${grant}`,
      actions: [`dynamodb:${ofIndex ? 'Query' : grant}`],
      // An index is a resource of its own: what a statement allows on the table it does not allow there.
      resources: [ofIndex ? `${this.table.tableArn}/index/${ATTENTION_INDEX.name}` : this.table.tableArn],
      // `ForAllValues` also holds for a call that names no partition at all, such as a Scan: `Null` refuses that one.
      conditions: { 'ForAllValues:StringLike': { [keys]: partitions }, Null: { [keys]: 'false' } },
    });
  }

  #keyStatement({ keyArn }: Key, { PutItem, UpdateItem, DeleteItem }: TableAccess): PolicyStatement {
    const writes = [PutItem, UpdateItem, DeleteItem].some((partitions) => partitions !== undefined);
    return new PolicyStatement({
      sid: 'TableKey',
      actions: writes ? KEY_USE_TO_WRITE : KEY_USE_TO_READ,
      resources: [keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(this).region}.amazonaws.com` } },
    });
  }
}
