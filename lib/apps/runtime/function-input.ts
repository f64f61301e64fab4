import type {
  CreateFunctionCommandInput,
  FunctionCode,
  PackageType,
  UpdateFunctionConfigurationCommandInput,
} from '@aws-sdk/client-lambda';
import type { Code } from '../model.ts';
import { artifactKey } from './names.ts';
import type { FunctionInput } from './runtime.ts';

type Settings = Omit<FunctionInput, 'code'>;

/** Where Lambda finds the code: exactly one version of an object, or one digest of a repository. */
export function renderCode(app: string, code: Code, bucket: string): FunctionCode {
  if (code.kind === 'image') return { ImageUri: `${repositoryOf(code.uri)}@${code.digest}` };
  return { S3Bucket: bucket, S3Key: artifactKey(app, code.artifact), S3ObjectVersion: code.versionId };
}

/** What a create and an update of the settings have in common. */
export function renderSettings(
  { settings, variables, roleArn, logGroup, layers }: Settings,
  packageType: PackageType,
): Omit<UpdateFunctionConfigurationCommandInput & CreateFunctionCommandInput, 'FunctionName' | 'Code'> {
  return {
    Role: roleArn,
    MemorySize: settings.memoryMb,
    Timeout: settings.timeoutSeconds,
    Environment: { Variables: { ...settings.env, ...variables } },
    // `Text`: a line of the log, of the logs route and of a failure's excerpt is what the app wrote. With `JSON` Lambda puts
    // each into an object of its own, in which people would have to look for it.
    LoggingConfig: { LogGroup: logGroup, LogFormat: 'Text' },
    // An image has these in it, and Lambda refuses them.
    ...(packageType === 'Zip' && {
      Runtime: settings.runtime as never,
      Handler: settings.handler,
      Layers: [...layers],
    }),
  };
}

/** Values that AWS may quote in a refusal: of the caller's variables, which may be secrets although there are better places. */
export function hiddenOf({ settings }: Pick<Settings, 'settings'>): string[] {
  return Object.values(settings.env);
}

function repositoryOf(uri: string): string {
  return uri.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
}
