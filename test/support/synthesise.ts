import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { parseSettings } from '../../infra/settings.ts';
import { RoundhouseStack } from '../../infra/stack.ts';
import { resolveText } from '../infra/support/template-metrics.ts';

export type Given = Readonly<Record<string, unknown>>;

/** A resource of a template, as CloudFormation gets it. */
export interface Resource {
  readonly Type: string;
  readonly Properties: any;
  readonly DependsOn: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly UpdatePolicy?: any;
}

/**
 * A template whose resources go by the paths of their constructs, `Convert/Service/Function`: those say what they are,
 * and logical ids have a hash at the end.
 */
export interface Synthesised {
  readonly stack: RoundhouseStack;
  readonly template: Template;
  readonly resources: Readonly<Record<string, Resource>>;
  /** Logical ids by path. */
  readonly ids: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, any>>;
  /** Paths of all resources of these types. */
  paths(...types: string[]): string[];
  /** The resource at a path; throws when there is none. */
  at(path: string): Resource;
  /** A value with its intrinsic functions as text: `{ Ref }` is `<Convert/Service/Logs>`, `Fn::GetAtt` is `<….Arn>`. */
  text(value: unknown): string;
}

export const ACCOUNT = '111122223333';
export const REGION = 'eu-central-1';

/** A value for every setting that adds something to the template. */
export const EVERYTHING = {
  convertProvisionedConcurrency: '2',
  convertReservedConcurrency: '60',
  apiReservedConcurrency: '5',
  alarmEmail: 'oncall@example.org',
  convertTracing: 'active',
  convertDomain: 'convert.example.org',
  convertCertificateArn: `arn:aws:acm:${REGION}:${ACCOUNT}:certificate/0b1c2d3e`,
  customerKey: 'true',
} as const;

export const { context: FEATURE_FLAGS, ...CDK_JSON } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'),
);

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-synth-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Stands for real bundles: a template has only the hash of their content. */
const bundles = join(folder, 'bundles');
for (const name of ['convert', 'api', 'worker', 'reconcile', 'pre-traffic', 'synthetic', 'secrets-layer']) {
  mkdirSync(join(bundles, name), { recursive: true });
  writeFileSync(join(bundles, name, 'index.mjs'), `export const handler = () => '${name}';\n`);
}

/** The stack for these settings, given as `cdk -c name=value` does, in an app that writes to a folder of its own. */
export function createStack(settings: Given, builtinCloudFormationValidation: boolean) {
  const outdir = mkdtempSync(join(folder, 'cdk.out-'));
  const app = new App({ context: { ...FEATURE_FLAGS, ...settings }, outdir, builtinCloudFormationValidation });
  const env = { account: ACCOUNT, region: REGION };
  const stack = new RoundhouseStack(app, { settings: parseSettings(app.node.getAllContext(), REGION), bundles, env });
  return { app, stack, outdir };
}

/** The template for these settings; not validated, which takes the longest. */
export function synthesise(settings: Given = {}): Synthesised {
  const { app, stack } = createStack(settings, false);
  const json = app.synth().getStackArtifact(stack.artifactId).template;
  const pathOf: Record<string, string> = {};
  for (const construct of stack.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue;
    pathOf[stack.resolve(construct.logicalId)] = construct.node.path
      .replace(`${stack.node.id}/`, '')
      .replace(/\/Resource$/, '');
  }
  const ids = Object.fromEntries(Object.entries(pathOf).map(([id, path]) => [path, id]));
  const resources = Object.fromEntries(
    Object.entries<any>(json.Resources).map(([id, { DependsOn = [], Properties = {}, ...resource }]) => [
      pathOf[id] ?? id,
      { ...resource, Properties, DependsOn: DependsOn.map((other: string) => pathOf[other] ?? other) },
    ]),
  );
  const at = (path: string): Resource => {
    const resource = resources[path];
    if (resource === undefined) throw new Error(`no resource at ${path}; there are ${Object.keys(resources).sort()}`);
    return resource;
  };
  return {
    stack,
    template: Template.fromJSON(json),
    resources,
    ids,
    outputs: json.Outputs ?? {},
    paths: (...types) => Object.keys(resources).filter((path) => types.includes(at(path).Type)),
    at,
    text: (value) => resolveText(value).replace(/<(\w+)/g, (_, id: string) => `<${pathOf[id] ?? id}`),
  };
}
