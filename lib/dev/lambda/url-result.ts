import type { FunctionUrlAnswer } from '../function-url-server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * What AWS makes of a result (Developer Guide, "Function URL response payloads"): without `statusCode` the whole result
 * is the body of a 200 in JSON; with it the rest may be missing.
 * @throws Error when it cannot be an answer, which AWS answers with 502
 */
export function inferAnswer(value: unknown): FunctionUrlAnswer {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !('statusCode' in value)) {
    const body = typeof value === 'string' ? value : JSON.stringify(value ?? null);
    return { statusCode: 200, headers: JSON_TYPE, body, isBase64Encoded: false };
  }
  const { statusCode, headers = {}, cookies, body = '', isBase64Encoded = false } = value as Record<string, unknown>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) throw new Error('statusCode is not an HTTP status');
  return {
    statusCode: status,
    headers: { ...JSON_TYPE, ...readHeaders(headers) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: isBase64Encoded === true,
    ...(Array.isArray(cookies) && { cookies: cookies.map(String) }),
  };
}

/** Names in lower case; those of the connection are the server's own. */
function readHeaders(headers: unknown): Record<string, string> {
  if (headers === null) return {};
  if (typeof headers !== 'object' || Array.isArray(headers)) throw new Error('headers is not an object');
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), String(value)]);
  return Object.fromEntries(fields.filter(([name]) => !/^(connection|content-length|transfer-encoding)$/.test(name)));
}
