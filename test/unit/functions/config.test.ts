import { expect, test } from 'vitest';
import { loadApiConfig, loadConvertConfig } from '../../../functions/config.ts';

const SHA256 = 'a'.repeat(64);

test('convert needs a table and has defaults for the rest', () => {
  expect(loadConvertConfig({ TABLE_NAME: 'roundhouse', PATH: '/bin' })).toEqual({
    TABLE_NAME: 'roundhouse',
    STAGE: 'dev',
    LOG_LEVEL: 'INFO',
    CONVERT_DEADLINE_MS: 10_000,
  });
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
    expect(loadApiConfig({ TABLE_NAME: 't', ROOT_TOKEN_SHA256: SHA256, CONVERT_URL: url }).CONVERT_URL).toBe(url);
  },
);

test.each([
  ['a URL with user information', { CONVERT_URL: 'https://user@host' }, 'CONVERT_URL'],
  ['a URL with a query', { CONVERT_URL: 'https://host?a=b' }, 'CONVERT_URL'],
  ['a URL with a path', { CONVERT_URL: 'https://host/path' }, 'CONVERT_URL'],
  ['a URL that no apiserver accepts', { CONVERT_URL: 'http://host' }, 'CONVERT_URL'],
  ['no URL', { CONVERT_URL: 'host' }, 'CONVERT_URL'],
  ['a token in place of its hash', { ROOT_TOKEN_SHA256: 'secret' }, 'ROOT_TOKEN_SHA256'],
  ['a level that there is not', { LOG_LEVEL: 'LOUD' }, 'LOG_LEVEL'],
  ['an empty table name', { TABLE_NAME: '' }, 'TABLE_NAME'],
])('%s is refused by name, and its value is not repeated', (_name, wrong, variable) => {
  const environment = { TABLE_NAME: 't', ROOT_TOKEN_SHA256: SHA256, CONVERT_URL: 'https://host', ...wrong };
  expect(() => loadApiConfig(environment)).toThrow(new RegExp(`\\n${variable}: `));
  expect(() => loadApiConfig(environment)).not.toThrow(/secret|user@/);
});

test('all faults are named at once', () => {
  expect(() => loadApiConfig({})).toThrow(/TABLE_NAME: [\s\S]*ROOT_TOKEN_SHA256: [\s\S]*CONVERT_URL: /);
});
