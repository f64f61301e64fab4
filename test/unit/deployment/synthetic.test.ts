import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { requestTimeouts } from '../../../lib/aws/request-timeouts.ts';
import { createSyntheticReview } from '../../../lib/deployment/synthetic.ts';
import { startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import { AppError } from '../../../lib/errors.ts';
import type { SyntheticRecord } from '../../../lib/telemetry/metrics.ts';
import { createTestConvert, readyBy } from '../../support/convert-handler.ts';
import { startTcpServer } from '../../support/tcp-server.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Fakes {
  readonly convertUrl?: string;
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>;
  readonly timeoutMs?: number;
  /** How many times one instance is called. */
  readonly reviews?: number;
}

/** Runs reviews one after the other; each look at the clock takes 20 ms. */
async function run({ convertUrl = 'https://convert.example.com', fetch, timeoutMs, reviews = 1 }: Fakes) {
  const records: SyntheticRecord[] = [];
  let time = 0;
  const review = createSyntheticReview({
    convertUrl,
    fetch: (fetch ?? globalThis.fetch) as typeof globalThis.fetch,
    now: () => (time += 20),
    newId: () => 'u-1',
    telemetry: { record: (record) => records.push(record) },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  for (let call = 0; call < reviews; call++) await review();
  return records;
}

async function startConvert(ready = async () => {}): Promise<string> {
  const handler = createTestConvert({ registries: readyBy(ready) });
  const server = await startFunctionUrlServer({ port: 0, route: () => handler });
  closers.push(server.close);
  return server.url;
}

async function startTcp(onConnection: Parameters<typeof startTcpServer>[0]): Promise<string> {
  const server = await startTcpServer(onConnection);
  closers.push(server.close);
  return `http://127.0.0.1:${server.port}`;
}

function expectFailure(records: readonly SyntheticRecord[], reason: string | RegExp) {
  const told = typeof reason === 'string' ? reason : expect.stringMatching(reason);
  expect(records).toEqual([{ failed: true, durationMs: 20, reason: told }]);
}

describe('a review through a real server', () => {
  test.each(['', '/'])('that is answered right is no failure (URL ends with "%s")', async (end) => {
    const records = await run({ convertUrl: (await startConvert()) + end });
    expect(records).toEqual([{ failed: false, durationMs: 20 }]);
  });

  test('of a version that cannot read its table', async () => {
    const ready = async () => {
      throw new AppError('UNAVAILABLE', 'down');
    };
    expectFailure(
      await run({ convertUrl: await startConvert(ready) }),
      /^the answer is HTTP 503, expected 200: no plan could be loaded yet, .* \(convert cannot read its table, /,
    );
  });

  test('of a version with a fault of its own, which is not told as one of the table', async () => {
    const ready = async () => {
      throw new TypeError('canary');
    };
    expectFailure(
      await run({ convertUrl: await startConvert(ready) }),
      /^the answer is HTTP 500, expected 200: internal error, reference id ref-1 \(a fault in convert, /,
    );
  });

  test('makes a connection of its own, each time: one that was kept is dead when Lambda thaws the process', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\n{}';
    const heads: string[] = [];
    const server = await startTcpServer((socket) =>
      socket.on('data', (data) => {
        heads.push(String(data));
        socket.write(answer);
      }),
    );
    closers.push(server.close);
    await run({ convertUrl: `http://127.0.0.1:${server.port}`, reviews: 3 });
    expect(server.connections).toBe(3);
    expect(heads[0]).toMatch(/^connection: close\r$/im);
  });

  test('that nobody listens to', async () => {
    const server = await startTcpServer(() => {});
    await server.close();
    expectFailure(
      await run({ convertUrl: `http://127.0.0.1:${server.port}` }),
      `no answer from 127.0.0.1:${server.port}: nothing listens there (ECONNREFUSED)`,
    );
  });

  test('whose connection is cut', async () => {
    const convertUrl = await startTcp((socket) => socket.once('data', () => socket.destroy()));
    expectFailure(await run({ convertUrl }), /^no answer from 127\.0\.0\.1:\d+: .* \((UND_ERR_SOCKET|ECONNRESET)\)$/);
  });

  test('that is not answered in time', async () => {
    const convertUrl = await startTcp(() => {});
    expectFailure(await run({ convertUrl, timeoutMs: 50 }), /^no answer from 127\.0\.0\.1:\d+ within 0\.05 s$/);
  });

  test.each([
    ['plain', '', Buffer.alloc(64 * 1024 + 1, ' ')],
    ['compressed', 'content-encoding: gzip\r\n', gzipSync(Buffer.alloc(4 * 1024 * 1024, ' '))],
    ['without an end', '', Buffer.alloc(1024 * 1024, ' ')],
  ])('whose answer is longer than 64 KiB is not read to its end (%s)', async (name, header, body) => {
    const length = name === 'without an end' ? '' : `content-length: ${body.length}\r\n`;
    let closed = false;
    const convertUrl = await startTcp((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 403 Forbidden\r\n${header}${length}\r\n`);
        socket.write(body);
      });
      socket.on('close', () => {
        closed = true;
      });
    });
    expectFailure(
      await run({ convertUrl }),
      /^the answer is HTTP 403 and longer than 64 KiB \(the function URL lacks one of its two invoke permissions/,
    );
    await vi.waitUntil(() => closed);
  });

  test('whose answer has 64 KiB is read', async () => {
    const fetch = async () => new Response(' '.repeat(64 * 1024));
    expectFailure(await run({ fetch }), 'the answer is not JSON (65536 characters)');
  });

  test('whose answer stops in the middle', async () => {
    const half = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"kind":';
    const convertUrl = await startTcp((socket) => socket.once('data', () => socket.write(half)));
    expectFailure(await run({ convertUrl, timeoutMs: 50 }), / within 0\.05 s$/);
  });
});

describe('a status of the platform comes with what to do', () => {
  test.each([
    [403, '{"Message":"Forbidden. For troubleshooting see"}', /two invoke permissions: lambda:InvokeFunctionUrl and/],
    [404, '', /something answers at this URL that is not convert/],
    [429, '{"Reason":"ConcurrentInvocationLimitExceeded"}', /no concurrency is left for convert/],
    [500, '{"message":"internal error, reference id r"}', /internal error, reference id r \(a fault in convert/],
    [502, 'Internal Server Error', /convert crashed, or its result is no HTTP answer/],
    [503, '', /overloaded/],
    [504, '', /did not end in time/],
    [301, '', /^the answer is HTTP 301, expected 200$/],
    [418, '', /^the answer is HTTP 418, expected 200$/],
    [200, '<html>', /^the answer is not JSON \(6 characters\)$/],
  ])('HTTP %i', async (status, body, reason) => {
    expectFailure(await run({ fetch: async () => new Response(body, { status }) }), reason);
  });
});

describe('a request that fails', () => {
  const failed = (cause?: Error) => new TypeError('fetch failed', { cause });
  const coded = (code: string, message = 'low-level text') => Object.assign(new Error(message), { code });
  test.each([
    ['a name that does not exist', failed(coded('ENOTFOUND')), /the name does not exist in DNS: .* \(ENOTFOUND\)$/],
    ['DNS that does not answer', failed(coded('EAI_AGAIN')), /DNS does not answer \(EAI_AGAIN\)$/],
    [
      'a certificate that has expired',
      failed(coded('CERT_HAS_EXPIRED', 'certificate has expired')),
      /: certificate has expired \(CERT_HAS_EXPIRED\)$/,
    ],
    ['a fault without a code', failed(new RangeError('odd')), /: odd \(RangeError\)$/],
    ['a fault without a cause', failed(), /: fetch failed \(TypeError\)$/],
    ['what is no error', 'text', /^no answer from convert\.example\.com$/],
  ])('by %s is told and does not reject', async (_name, thrown, reason) => {
    const records = await run({
      fetch: async () => {
        throw thrown;
      },
    });
    expectFailure(records, reason);
    expect(records[0]?.reason).toMatch(/^no answer from convert\.example\.com/);
  });
});

test('the request goes to the self-test, follows nothing, and has longer than an answer about a table that hangs', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  const requests: [string, RequestInit][] = [];
  await run({
    fetch: async (url, init) => {
      requests.push([String(url), init]);
      return new Response('');
    },
  });
  expect(requests).toMatchObject([
    [
      'https://convert.example.com/convert/self-test',
      { method: 'POST', redirect: 'manual', signal: timeout.mock.results[0]?.value },
    ],
  ]);
  // Three attempts of the store, and a cold start; the function itself has 30 s.
  const [limit = 0] = timeout.mock.calls[0] ?? [];
  expect(limit).toBeGreaterThan(3 * requestTimeouts().requestTimeout + 2_000);
  expect(limit).toBeLessThan(25_000);
  timeout.mockRestore();
});
