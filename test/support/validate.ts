import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { RoundhouseStack } from '../../infra/stack.ts';
import { createStack, type Given } from './synthesise.ts';

export interface Finding {
  readonly rule: string;
  readonly constructs: readonly string[];
  /** What the one who acknowledged it wrote, and where. */
  readonly acknowledged?: { readonly id: string; readonly reason: string; readonly at: string };
}

/**
 * Validates the stack as `infra/app.ts` does: cdk-nag's AwsSolutions and CDK's own rules.
 *
 * @param change what to do to the stack before
 * @returns the findings, and every acknowledgement that there is in the tree
 * @throws when a finding is an error that nobody acknowledged
 */
export function validate(settings: Given = {}, change: (stack: RoundhouseStack) => void = () => undefined) {
  const { app, stack, outdir } = createStack(settings, true);
  change(stack);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
  app.synth();
  const { pluginReports } = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8'));
  const acknowledgements = app.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data).map((id) => ({ at: node.path, id }))),
    );
  return { findings: pluginReports.flatMap(findingsOf) as Finding[], acknowledgements };
}

function findingsOf({ violations, suppressedViolations = [] }: any): Finding[] {
  return [...violations, ...suppressedViolations].map((violation: any) => ({
    rule: violation.ruleName,
    constructs: violation.violatingConstructs.map(({ constructPath }: any) => constructPath),
    ...(violation.acknowledgedId !== undefined && {
      acknowledged: { id: violation.acknowledgedId, reason: violation.reason, at: violation.acknowledgedAt },
    }),
  }));
}
