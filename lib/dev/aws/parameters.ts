import { Buffer } from 'node:buffer';
import { openPrivateFolder } from '../private-folder.ts';
import { AwsError, cutPage, type JsonService, readText } from './json-service.ts';

interface ParameterOptions {
  readonly account: string;
  readonly region: string;
  readonly clock: { now(): number };
  /** Folder that keeps them, readable for this user only; in memory when absent. */
  readonly dir?: string;
}

interface Parameter {
  readonly type: string;
  readonly value: string;
  readonly version: number;
  readonly modifiedAt: number;
}

const FILE = 'parameters.json';
const MAX_BYTES = 4_096;
const MOST = 10;
const TYPES = new Set<unknown>(['String', 'StringList', 'SecureString']);

/** Parameter Store of Systems Manager: standard parameters, without labels, history and policies. */
export async function openParameters({ account, region, clock, dir }: ParameterOptions): Promise<JsonService> {
  const folder = dir === undefined ? undefined : await openPrivateFolder(dir);
  const parameters = new Map<string, Parameter>(Object.entries(JSON.parse((await folder?.read(FILE)) ?? '{}')));
  /** Writes go one after the other. */
  let written = Promise.resolve();
  const save = () => {
    written = written.then(() => folder?.write(FILE, JSON.stringify(Object.fromEntries(parameters), null, 2)));
    return written;
  };
  const render = (name: string, { type, value, version, modifiedAt }: Parameter, decrypt: boolean) => ({
    ARN: `arn:aws:ssm:${region}:${account}:parameter${name}`,
    DataType: 'text',
    LastModifiedDate: modifiedAt / 1_000,
    Name: name,
    Type: type,
    Value: type === 'SecureString' && !decrypt ? `encrypted:${name}:${version}` : value,
    Version: version,
  });
  return {
    async PutParameter(input) {
      const name = readText(input, 'Name');
      const value = readText(input, 'Value');
      checkParameter(name, value, input['Type'], input['Tier']);
      const present = parameters.get(name);
      if (present !== undefined && input['Overwrite'] !== true) {
        throw new AwsError(
          'ParameterAlreadyExists',
          'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
        );
      }
      const version = (present?.version ?? 0) + 1;
      parameters.set(name, { type: String(input['Type']), value, version, modifiedAt: clock.now() });
      await save();
      return { Tier: 'Standard', Version: version };
    },
    GetParametersByPath(input) {
      const path = readText(input, 'Path').replace(/\/?$/, '/');
      const size = input['MaxResults'] === undefined ? MOST : Number(input['MaxResults']);
      if (!(size >= 1 && size <= MOST)) throw new AwsError('ValidationException', `'maxResults' must be 1 to ${MOST}`);
      const found = [...parameters.keys()]
        .filter(
          (name) => name.startsWith(path) && (input['Recursive'] === true || !name.slice(path.length).includes('/')),
        )
        .sort();
      const { page, next } = cutPage(found, size, input['NextToken']);
      const decrypt = input['WithDecryption'] === true;
      const Parameters = page.map((name) => render(name, parameters.get(name) as Parameter, decrypt));
      return { Parameters, ...(next !== undefined && { NextToken: next }) };
    },
    async DeleteParameters(input) {
      const names = input['Names'];
      if (!Array.isArray(names) || names.length < 1 || names.length > MOST) {
        throw new AwsError('ValidationException', `'names' must have 1 to ${MOST} entries`);
      }
      const gone = names.filter((name) => parameters.delete(name));
      await save();
      return { DeletedParameters: gone, InvalidParameters: names.filter((name) => !gone.includes(name)) };
    },
  };
}

/** The value is quoted nowhere, though AWS does it. */
function checkParameter(name: string, value: string, type: unknown, tier: unknown = 'Standard'): void {
  const refuse = (message: string) => new AwsError('ValidationException', message);
  if (!/^(\/[\w.-]+)+$/.test(name) || /^\/(aws|ssm)/i.test(name)) throw refuse(`Parameter name ${name} is not valid`);
  if (!TYPES.has(type)) throw refuse(`Parameter type must be one of ${[...TYPES].join(', ')}`);
  if (tier !== 'Standard') throw refuse('This emulator has standard parameters only');
  if (Buffer.byteLength(value) > MAX_BYTES) {
    throw refuse(`Standard tier parameters support a maximum parameter value of ${MAX_BYTES} characters.`);
  }
  if (/\{\{.*\}\}/s.test(value))
    throw refuse("Parameter value can't nest another parameter. Do not use {{}} in the value.");
}
