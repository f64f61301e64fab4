import { expect, test } from 'vitest';
import {
  loadApiConfig,
  loadConvertConfig,
  loadPreTrafficConfig,
  loadReconcileConfig,
  loadSyntheticConfig,
  loadWorkerConfig,
} from '../../../functions/config.ts';

const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:RootToken1A2B3C-AbCdEf';
const VERSION_ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:Roundhouse-prod-Convert-1A2B:7';
const QUEUE_URL = 'https://sqs.eu-west-1.amazonaws.com/123456789012/roundhouse-prod-work.fifo';
const APPS = {
  TABLE_NAME: 't',
  QUEUE_URL,
  ARTIFACT_BUCKET: 'b-1',
  ACCOUNT_ID: '123456789012',
  AWS_REGION: 'eu-west-1',
};
const API = { ...APPS, ROOT_TOKEN_SECRET_ARN: SECRET_ARN, CONVERT_URL: 'https://host' };
const WORKER = {
  ...APPS,
  BOUNDARY_ARN: 'arn:aws:iam::123456789012:policy/roundhouse-prod-app-boundary',
  SECRETS_LAYER_ARN: 'arn:aws:lambda:eu-west-1:123456789012:layer:AppsSecretsLayer1A2B:3',
};
const PRE_TRAFFIC = { CHECK: 'convert', TARGET_VERSION_ARN: VERSION_ARN };

test('convert needs a table and has defaults for the rest', () => {
  expect(loadConvertConfig({ TABLE_NAME: 'roundhouse', PATH: '/bin' })).toEqual({
    TABLE_NAME: 'roundhouse',
    STAGE: 'dev',
    LOG_LEVEL: 'INFO',
    CONVERT_DEADLINE_MS: 10_000,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  });
});

test('convert knows the version that Lambda runs', () => {
  const environment = { TABLE_NAME: 't', AWS_LAMBDA_FUNCTION_VERSION: '7' };
  expect(loadConvertConfig(environment).AWS_LAMBDA_FUNCTION_VERSION).toBe('7');
});

test('the hook and the synthetic review need no table', () => {
  const logging = { STAGE: 'dev', LOG_LEVEL: 'INFO' };
  expect(loadPreTrafficConfig(PRE_TRAFFIC)).toEqual({ ...logging, ...PRE_TRAFFIC });
  expect(loadSyntheticConfig({ CONVERT_URL: 'https://host' })).toEqual({ STAGE: 'dev', CONVERT_URL: 'https://host' });
});

test.each([
  ['10', 10],
  ['25000', 25_000],
])('a deadline of %s ms is taken', (text, milliseconds) => {
  const config = loadConvertConfig({ TABLE_NAME: 't', CONVERT_DEADLINE_MS: text });
  expect(config.CONVERT_DEADLINE_MS).toBe(milliseconds);
});

test.each(['25001', '0', '-1', '1.5', 'soon', ''])('a deadline of "%s" ms is refused', (text) => {
  expect(() => loadConvertConfig({ TABLE_NAME: 't', CONVERT_DEADLINE_MS: text })).toThrow(/CONVERT_DEADLINE_MS: /);
});

test.each(['https://abc.lambda-url.eu-west-1.on.aws', 'https://abc.lambda-url.eu-west-1.on.aws/'])(
  'the URL %s is taken',
  (url) => {
    expect(loadApiConfig({ ...API, CONVERT_URL: url }).CONVERT_URL).toBe(url);
  },
);

test.each([
  ['a URL with user information', { CONVERT_URL: 'https://user@host' }, 'CONVERT_URL'],
  ['a URL with a query', { CONVERT_URL: 'https://host?a=b' }, 'CONVERT_URL'],
  ['a URL with a path', { CONVERT_URL: 'https://host/path' }, 'CONVERT_URL'],
  ['a URL that no apiserver accepts', { CONVERT_URL: 'http://host' }, 'CONVERT_URL'],
  ['no URL', { CONVERT_URL: 'host' }, 'CONVERT_URL'],
  ['a token in place of the secret that holds it', { ROOT_TOKEN_SECRET_ARN: 'canary' }, 'ROOT_TOKEN_SECRET_ARN'],
  ['the ARN of something else', { ROOT_TOKEN_SECRET_ARN: VERSION_ARN }, 'ROOT_TOKEN_SECRET_ARN'],
  ['a level that there is not', { LOG_LEVEL: 'LOUD' }, 'LOG_LEVEL'],
  ['an empty table name', { TABLE_NAME: '' }, 'TABLE_NAME'],
])('%s is refused by name, and its value is not repeated', (_name, wrong, variable) => {
  const environment = { ...API, ...wrong };
  expect(() => loadApiConfig(environment)).toThrow(new RegExp(`\\n${variable}: `));
  expect(() => loadApiConfig(environment)).not.toThrow(/canary|user@/);
});

test('worker and reconcile have defaults for what the stack does not have to say', () => {
  const logging = { STAGE: 'dev', LOG_LEVEL: 'INFO' };
  expect(loadWorkerConfig(WORKER)).toEqual({ ...logging, ...WORKER, LOG_RETENTION_DAYS: 30 });
  expect(loadReconcileConfig(APPS)).toEqual({ ...logging, ...APPS });
});

test('the API limits its callers, unless it is told otherwise', () => {
  expect(loadApiConfig(API)).toMatchObject({
    APP_API_RATE_LIMIT_READ_RPM: 600,
    APP_API_RATE_LIMIT_WRITE_RPM: 120,
    APP_MAX_RESERVED_CONCURRENCY: 500,
    APP_CERT_EXPIRY_WARNING_WINDOW: '336h',
  });
  expect(loadApiConfig(API)).not.toHaveProperty('APP_PUBLIC_HOST');
  const told = {
    APP_API_RATE_LIMIT_READ_RPM: '-1',
    APP_API_RATE_LIMIT_WRITE_RPM: '0',
    APP_PUBLIC_HOST: 'apps.example.org',
  };
  expect(loadApiConfig({ ...API, ...told })).toMatchObject({
    APP_API_RATE_LIMIT_READ_RPM: -1,
    APP_API_RATE_LIMIT_WRITE_RPM: 0,
    APP_PUBLIC_HOST: 'apps.example.org',
  });
});

test.each(['336h', '90m', '1h30m', '1.5h', '500ms'])('a warning window of %s is taken', (text) => {
  expect(loadApiConfig({ ...API, APP_CERT_EXPIRY_WARNING_WINDOW: text }).APP_CERT_EXPIRY_WARNING_WINDOW).toBe(text);
});

test.each(['http://127.0.0.1:4566/000000000000/work.fifo', QUEUE_URL])('the queue %s is taken', (url) => {
  expect(loadReconcileConfig({ ...APPS, QUEUE_URL: url }).QUEUE_URL).toBe(url);
});

test.each([
  ['a queue without an order', { QUEUE_URL: QUEUE_URL.slice(0, -5) }, 'QUEUE_URL'],
  ['the ARN of a queue', { QUEUE_URL: 'arn:aws:sqs:eu-west-1:123456789012:work.fifo' }, 'QUEUE_URL'],
  ['the ARN of a bucket', { ARTIFACT_BUCKET: 'arn:aws:s3:::b-1' }, 'ARTIFACT_BUCKET'],
  ['half an account', { ACCOUNT_ID: '123456' }, 'ACCOUNT_ID'],
  ['no Region', { AWS_REGION: undefined }, 'AWS_REGION'],
  ['no boundary', { BOUNDARY_ARN: undefined }, 'BOUNDARY_ARN'],
  ['a role for a boundary', { BOUNDARY_ARN: 'arn:aws:iam::123456789012:role/boundary' }, 'BOUNDARY_ARN'],
  ['a layer without its version', { SECRETS_LAYER_ARN: WORKER.SECRETS_LAYER_ARN.slice(0, -2) }, 'SECRETS_LAYER_ARN'],
  ['logs that end at once', { LOG_RETENTION_DAYS: '0' }, 'LOG_RETENTION_DAYS'],
])('the worker refuses %s by name', (_name, wrong, variable) => {
  expect(() => loadWorkerConfig({ ...WORKER, ...wrong })).toThrow(new RegExp(`\\n${variable}: `));
});

test.each([
  ['a limit that is no number', { APP_API_RATE_LIMIT_READ_RPM: 'many' }, 'APP_API_RATE_LIMIT_READ_RPM'],
  ['half a request', { APP_API_RATE_LIMIT_WRITE_RPM: '0.5' }, 'APP_API_RATE_LIMIT_WRITE_RPM'],
  ['less than no instances', { APP_MAX_RESERVED_CONCURRENCY: '-1' }, 'APP_MAX_RESERVED_CONCURRENCY'],
  ['a window without a unit', { APP_CERT_EXPIRY_WARNING_WINDOW: '336' }, 'APP_CERT_EXPIRY_WARNING_WINDOW'],
  ['days, which Go does not know', { APP_CERT_EXPIRY_WARNING_WINDOW: '14d' }, 'APP_CERT_EXPIRY_WARNING_WINDOW'],
  ['an empty host', { APP_PUBLIC_HOST: '' }, 'APP_PUBLIC_HOST'],
])('the API refuses %s by name', (_name, wrong, variable) => {
  expect(() => loadApiConfig({ ...API, ...wrong })).toThrow(new RegExp(`\\n${variable}: `));
});

test('all faults are named at once', () => {
  expect(() => loadApiConfig({})).toThrow(/TABLE_NAME: [\s\S]*ROOT_TOKEN_SECRET_ARN: [\s\S]*CONVERT_URL: /);
});

test.each([
  'arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:RootToken-AbCdEf',
  'arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:path/of/RootToken-AbCdEf',
])('the secret %s is taken', (arn) => {
  expect(loadApiConfig({ ...API, ROOT_TOKEN_SECRET_ARN: arn }).ROOT_TOKEN_SECRET_ARN).toBe(arn);
});

test.each([
  ['a function that has no hook', { CHECK: 'synthetic' }, 'CHECK'],
  ['nothing to check', { CHECK: undefined }, 'CHECK'],
  ['a function without its version', { TARGET_VERSION_ARN: VERSION_ARN.slice(0, -2) }, 'TARGET_VERSION_ARN'],
  [
    'an alias, which is the old version',
    { TARGET_VERSION_ARN: VERSION_ARN.replace(':7', ':live') },
    'TARGET_VERSION_ARN',
  ],
])('the hook refuses %s by name', (_name, wrong, variable) => {
  expect(() => loadPreTrafficConfig({ ...PRE_TRAFFIC, ...wrong })).toThrow(new RegExp(`\\n${variable}: `));
});

test('the synthetic review refuses a URL that no apiserver accepts', () => {
  expect(() => loadSyntheticConfig({ CONVERT_URL: 'http://host' })).toThrow(/\nCONVERT_URL: /);
});
