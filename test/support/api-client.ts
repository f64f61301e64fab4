import { createHash } from 'node:crypto';
import { type ApiOptions, createApiHandler } from '../../lib/http/api.ts';
import { createAuthenticator, fixedTokens } from '../../lib/http/auth.ts';
import { createMemoryLog } from './memory-log.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** An account whose ECR and functions apps may use. */
export const APP_CONTEXT = {
  account: { id: '123456789012', region: 'eu-west-1' },
  secretsPath: (app: string) => `/roundhouse/test/${app}`,
  maxConcurrency: 100,
};

/** The `api` handler on services that the test makes up, and calls of it. Tokens: `root`, and `reader` with `read`. */
export function createApiClient(overrides: Partial<Record<keyof ApiOptions, any>> = {}) {
  const log = createMemoryLog();
  const handler = createApiHandler({
    configs: {},
    endpoints: {},
    registries: {},
    apps: {},
    appContext: APP_CONTEXT,
    tokens: {},
    audit: { record: async () => {} },
    limiter: { take: async () => undefined },
    idempotency: {},
    authenticate: createAuthenticator({
      now: () => 0,
      tokens: fixedTokens([
        { id: 'root', sha256: sha256('root'), abilities: ['root'] },
        { id: 'reader', sha256: sha256('reader'), abilities: ['read'] },
      ]),
    }),
    checkReady: async () => {},
    convertUrl: 'https://convert.example.com',
    version: '1.2.3',
    telemetry: { rateLimited: () => {} },
    clock: { now: () => 0 },
    log,
    newId: () => 'ref-1',
    ...overrides,
  } as ApiOptions);
  const call = async (
    method: string,
    path: string,
    { token = 'root', body, headers = {}, raw = false, sourceIp = '192.0.2.1' }: any = {},
  ) => {
    const [rawPath = '', rawQueryString = ''] = path.split('?');
    const result = await handler({
      rawPath,
      rawQueryString,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      requestContext: { requestId: 'req-1', http: { method, sourceIp } },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { ...result, json: raw || result.body === '' ? undefined : JSON.parse(result.body) };
  };
  return { call, log };
}
