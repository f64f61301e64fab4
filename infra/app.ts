import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleAll } from './bundle.ts';
import { parseSettings, type Settings } from './settings.ts';
import { RoundhouseStack } from './stack.ts';

const DIST = join(import.meta.dirname, '..', 'dist');

/** What the CDK command line found out about the account. */
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

async function synthesise(app: App, settings: Settings): Promise<void> {
  // A folder for each run: another synthesis or build at the same time would leave this one with half a bundle. It is at
  // the same depth everywhere, because the paths in source maps are relative, and equal trees make equal assets.
  await mkdir(DIST, { recursive: true });
  const bundles = await mkdtemp(join(DIST, 'synth-'));
  try {
    await bundleAll(bundles, settings.brandFile);
    const env = { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
    new RoundhouseStack(app, { settings, bundles, env });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
    app.synth();
  } finally {
    await rm(bundles, { recursive: true });
  }
}

const app = new App({ autoSynth: false });
let settings: Settings | undefined;
try {
  settings = parseSettings(app.node.getAllContext(), region);
} catch (error) {
  // For the person who typed the settings: what is wrong, without a stack.
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
if (settings !== undefined) await synthesise(app, settings);
