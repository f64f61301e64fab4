interface EventInput {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly rawQuery?: string;
  /** Names in lower case, as AWS sends them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cookies?: readonly string[];
  readonly body?: { readonly text: string; readonly base64?: boolean };
  readonly protocol?: string;
  readonly sourceIp?: string;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Host of a request that did not come through a URL. The first part of a URL's host name says which one it is. */
const NO_HOST = 'direct.lambda-url.invalid';

/**
 * An event as a function URL without authentication makes it of a request, payload format 2.0. (AWS Lambda Developer
 * Guide, "Invoking Lambda function URLs".)
 */
export function createFunctionUrlEvent(input: EventInput) {
  const { method, path, rawQuery = '', headers = {}, cookies, body, requestId, now } = input;
  const { host = NO_HOST } = headers;
  const [domainPrefix] = host.split('.', 1);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: rawQuery,
    ...(cookies && { cookies }),
    headers: { host, 'x-forwarded-proto': 'https', ...headers },
    requestContext: {
      accountId: 'anonymous',
      apiId: domainPrefix,
      domainName: host,
      domainPrefix,
      http: {
        method,
        path,
        protocol: input.protocol ?? 'HTTP/1.1',
        sourceIp: input.sourceIp ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: clfTime(new Date(now)),
      timeEpoch: now,
    },
    ...(body && { body: body.text }),
    isBase64Encoded: body?.base64 === true,
  };
}

/** `12/Mar/2020:19:03:58 +0000` */
function clfTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
