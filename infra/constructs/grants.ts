import { Stack, Validations } from 'aws-cdk-lib';
import { Effect, type ManagedPolicy, type Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** What stands for more than one resource, and why no single one can be named: people and cdk-nag want to know. */
export interface ManyResources {
  /** With `*`. */
  readonly arn: string;
  readonly why: string;
}

/** One statement of a policy. */
export interface Grant {
  readonly sid: string;
  readonly actions: readonly string[];
  readonly resources: readonly (string | ManyResources)[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  readonly effect?: Effect;
}

/** Actions that are about the account, or about what has no ARN. */
export const ANY: ManyResources = {
  arn: '*',
  why: 'These actions are about no resource that could be named: IAM takes them on * only.',
};

/** Puts the statements into a policy, and gives cdk-nag the reason of every wildcard that they allow. */
export function addGrants(policy: Policy | ManagedPolicy, grants: readonly Grant[]): void {
  const whys = new Map<string, string>();
  for (const { sid, actions, resources, conditions, effect = Effect.ALLOW } of grants) {
    const arns = resources.map((resource) => (typeof resource === 'string' ? resource : resource.arn));
    policy.addStatements(
      new PolicyStatement({
        sid,
        effect,
        actions: [...actions],
        resources: arns,
        ...(conditions && { conditions }),
      }),
    );
    if (effect === Effect.DENY) continue;
    for (const resource of resources) if (typeof resource !== 'string') whys.set(resource.arn, resource.why);
  }
  for (const [arn, reason] of whys) {
    const id = `AwsSolutions::AwsSolutions-IAM5[Resource::${nagText(Stack.of(policy).resolve(arn))}]`;
    if (!isAcknowledged(policy, id)) Validations.of(policy).acknowledge({ id, reason });
  }
}

function isAcknowledged({ node }: Policy | ManagedPolicy, id: string): boolean {
  const key = Validations.ACKNOWLEDGED_RULES_METADATA_KEY;
  return node.metadata.some(({ type, data }) => type === key && Object.hasOwn(data, id));
}

type Intrinsic = Readonly<{ Ref?: string; 'Fn::GetAtt'?: readonly string[]; 'Fn::Join'?: readonly [string, Text[]] }>;
type Text = string | Intrinsic;

/** A value of a template as cdk-nag writes it in its findings. */
function nagText(value: Text): string {
  if (typeof value === 'string') return value.replaceAll('${', '<').replaceAll('}', '>');
  const { Ref: ref, 'Fn::GetAtt': attribute = [], 'Fn::Join': [separator, parts] = ['', []] } = value;
  if (parts.length > 0) return parts.map(nagText).join(separator);
  return `<${ref ?? attribute.join('.')}>`;
}
