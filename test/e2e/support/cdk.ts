import { delimiter, join } from 'node:path';
import { copyTree } from '../../infra/support/cdk-tree.ts';
import type { Workbench } from './workbench.ts';

/** Runs a command of the CDK command line; gives what it printed, and fails with that when the command fails. */
export type Cdk = (...args: readonly string[]) => Promise<string>;

/**
 * The CDK command line in a copy of the repository, with nothing of the person who runs the tests: no settings, no
 * credentials but those in `environment`.
 */
export async function openCdk(workbench: Workbench, environment: Readonly<Record<string, string>> = {}): Promise<Cdk> {
  const folder = workbench.folder('roundhouse-e2e-cdk-');
  const tree = join(folder, 'tree');
  await copyTree(tree);
  const home = workbench.folder('home-', folder);
  const bin = join(tree, 'node_modules/.bin');
  const env = {
    // `node`, which cdk.json names, is then the one of the repository.
    PATH: [bin, process.env['PATH']].join(delimiter),
    HOME: home,
    TMPDIR: home,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    ...environment,
  };
  return async (...args) => {
    const { code, output } = await workbench.run([process.execPath, join(bin, 'cdk'), ...args], { cwd: tree, env });
    if (code !== 0) throw new Error(`cdk ${args.join(' ')} failed with ${code}:\n${output}`);
    return output;
  };
}
