import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles } from './cdk-tree.ts';

export interface DeployedFunction {
  /** Its tag `roundhouse:service`. */
  readonly service: string;
  readonly logicalId: string;
  /** The module that Lambda loads, in the asset of the cloud assembly. */
  readonly entry: string;
  /** What Lambda gives the function: its variables of the template, and Lambda's own. */
  readonly environment: Record<string, string>;
}

/**
 * What `Ref` and `Fn::GetAtt` of a resource give once it is deployed, by the type of the resource; that of what AWS knows
 * by itself by its name (`AWS::AccountId`).
 */
export type DeployedValues = Readonly<Record<string, string>>;

/** The version that Lambda says it runs. */
export const VERSION = '7';

export async function readTemplate(outdir: string): Promise<any> {
  return JSON.parse(await readFile(join(outdir, 'Roundhouse-prod.template.json'), 'utf8'));
}

/** The functions of a cloud assembly as a deployment would make them. */
export async function deployedFunctions(outdir: string, values: DeployedValues): Promise<DeployedFunction[]> {
  const { Resources: resources } = await readTemplate(outdir);
  const textOf = (value: any): string => {
    if (typeof value === 'string') return value;
    const id = value.Ref ?? value['Fn::GetAtt'][0];
    const type = resources[id]?.Type ?? id;
    const text = values[type];
    if (text === undefined) throw new Error(`no value for ${JSON.stringify(value)}, ${type}`);
    return text;
  };
  return Object.entries<any>(resources)
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([logicalId, { Properties, Metadata }]) => {
      const [module, handler] = Properties.Handler.split('.');
      if (handler !== 'handler') throw new Error(`the tests call \`handler\`, not ${handler}`);
      const variables = Object.entries(Properties.Environment.Variables).map(([name, value]) => [name, textOf(value)]);
      return {
        service: Properties.Tags.find(({ Key }: any) => Key === 'roundhouse:service').Value,
        logicalId,
        entry: join(outdir, Metadata['aws:asset:path'], `${module}.mjs`),
        environment: { ...lambdaVariables(logicalId, Properties), ...Object.fromEntries(variables) },
      };
    });
}

/** AWS Lambda developer guide, "Defined runtime environment variables": those that code of ours or a library may read. */
function lambdaVariables(name: string, { Handler, Runtime, MemorySize, LoggingConfig }: any): Record<string, string> {
  return {
    _HANDLER: Handler,
    AWS_EXECUTION_ENV: `AWS_Lambda_${Runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: VERSION,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_FORMAT: LoggingConfig.LogFormat,
    AWS_LAMBDA_LOG_LEVEL: LoggingConfig.ApplicationLogLevel,
    TZ: ':UTC',
  };
}

/**
 * SHA-256 of every file of a cloud assembly. Left out is what a synth says about itself, which no deployment reads: how
 * long it took; and in the reports on constructs and findings, where the tree was.
 */
export async function digests(outdir: string, tree: string): Promise<Record<string, string>> {
  const files = (await listFiles(outdir)).filter((file) => file !== 'performance-counters.json');
  const entries = files.map(async (file) => {
    const content = await readFile(join(outdir, file));
    const report = /^(?:[^/]+\.metadata|validation-report)\.json$/.test(file);
    const compared = report ? content.toString().replaceAll(tree, '<tree>') : content;
    return [file, createHash('sha256').update(compared).digest('hex')];
  });
  return Object.fromEntries(await Promise.all(entries));
}
