import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from './bundle.ts';
import { checkRegion } from './regions.ts';
import { parseSettings, type Settings } from './settings.ts';
import { RoundhouseStack } from './stack.ts';

const BUNDLES = join(import.meta.dirname, '..', 'dist');

/** What the CDK command line found out about the account. */
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

function readSettings(app: App): Settings {
  const settings = parseSettings(app.node.getAllContext());
  const problems = checkRegion(region, settings.convertCertificateArn);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

async function synthesise(app: App, settings: Settings): Promise<void> {
  await bundleFunctions(BUNDLES, settings.brandFile);
  const env = { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
  new RoundhouseStack(app, { settings, bundles: BUNDLES, env });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
  app.synth();
}

const app = new App({ autoSynth: false });
let settings: Settings | undefined;
try {
  settings = readSettings(app);
} catch (error) {
  // For a person who typed a setting: what is wrong, without a stack.
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
if (settings !== undefined) await synthesise(app, settings);
