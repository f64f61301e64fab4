import { ArnFormat, type Stack } from 'aws-cdk-lib';
import type { ManyResources } from './grants.ts';

/**
 * What belongs to the apps of a stage. None of it is in the stack: `worker` makes and removes it, so all that policies can
 * name is how its names begin. A stage has neither `_` nor `/` in its name, so that no stage can name what is another's.
 */
export interface AppScope {
  readonly stage: string;
  readonly region: string;
  readonly functions: ManyResources;
  readonly roles: ManyResources;
  /** As IAM names a role that is not there, whose path it cannot know. */
  readonly absentRoles: ManyResources;
  readonly logGroups: ManyResources;
  readonly parameters: ManyResources;
  /** All of the account: a condition on their tag has to choose. */
  readonly repositories: ManyResources;
  /** With it in a statement, only what is tagged for this stage is meant. */
  readonly taggedForStage: { readonly StringEquals: Readonly<Record<string, string>> };
}

export function createAppScope(stack: Stack, stage: string): AppScope {
  const arn = (service: string, resource: string, name: string, arnFormat = ArnFormat.SLASH_RESOURCE_NAME) =>
    stack.formatArn({ service, resource, resourceName: name, arnFormat, ...(service === 'iam' && { region: '' }) });
  return {
    stage,
    region: stack.region,
    functions: {
      arn: arn('lambda', 'function', `roundhouse_${stage}_*`, ArnFormat.COLON_RESOURCE_NAME),
      why: 'People make apps while the stack runs; their functions begin with this, and no function of the stack does.',
    },
    roles: {
      arn: arn('iam', 'role', `roundhouse/${stage}/*`),
      why: 'People make apps while the stack runs; their roles have this path, and no role of the stack does.',
    },
    absentRoles: {
      arn: arn('iam', 'role', `roundhouse_${stage}_*`),
      why: 'A role that is not there has no path: who may look only below the path is told that it is denied, not that it is absent.',
    },
    logGroups: {
      arn: arn('logs', 'log-group', `/roundhouse/${stage}/*`, ArnFormat.COLON_RESOURCE_NAME),
      why: 'People make apps while the stack runs; their log groups begin with this, and none of the stack does.',
    },
    parameters: {
      arn: arn('ssm', 'parameter', `roundhouse/${stage}/*`),
      why: 'People set secrets of apps while the stack runs; this path has those of the apps of this stage only.',
    },
    repositories: {
      arn: arn('ecr', 'repository', '*'),
      why: 'Repositories of images are made by people and named as they like; the tag in the condition says which may be read.',
    },
    taggedForStage: { StringEquals: { 'aws:ResourceTag/roundhouse:stage': stage } },
  };
}
