import { afterEach, describe, expect, test } from 'vitest';
import { createSyntheticReview } from '../../../lib/deployment/synthetic.ts';
import { startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import { createConvertHandler } from '../../../lib/http/convert.ts';
import type { SyntheticRecord } from '../../../lib/telemetry/metrics.ts';
import { createFakeRegistries, createFakeRegistry } from '../../support/fake-registry.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { startTcpServer } from '../../support/tcp-server.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Fakes {
  readonly convertUrl?: string;
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>;
  readonly timeoutMs?: number;
}

/** Runs one review; each look at the clock takes 20 ms. */
async function run({ convertUrl = 'https://convert.example.com', fetch, timeoutMs }: Fakes) {
  const log = createMemoryLog();
  const records: SyntheticRecord[] = [];
  let time = 0;
  await createSyntheticReview({
    convertUrl,
    fetch: (fetch ?? globalThis.fetch) as typeof globalThis.fetch,
    now: () => (time += 20),
    newId: () => 'u-1',
    telemetry: { record: (record) => records.push(record) },
    log,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })();
  return { records, log };
}

async function startConvert(ready = async () => {}): Promise<string> {
  const handler = createConvertHandler({
    registries: { ...createFakeRegistries(createFakeRegistry([])), ready },
    development: false,
    deadlineMs: 10_000,
    now: () => 0,
    newId: () => 'ref-1',
    log: createMemoryLog(),
    telemetry: { review: () => {}, registry: () => {} },
  });
  const server = await startFunctionUrlServer({ port: 0, route: () => handler });
  closers.push(server.close);
  return server.url;
}

async function startTcp(onConnection: Parameters<typeof startTcpServer>[0]): Promise<string> {
  const server = await startTcpServer(onConnection);
  closers.push(server.close);
  return `http://127.0.0.1:${server.port}`;
}

function expectFailure({ records, log }: Awaited<ReturnType<typeof run>>, reason: string | RegExp) {
  const told = typeof reason === 'string' ? reason : expect.stringMatching(reason);
  expect(records).toEqual([{ failed: true, durationMs: 20, reason: told }]);
  expect(log.lines).toEqual([{ level: 'error', message: 'synthetic review failed', fields: { reason: told } }]);
}

describe('a review through a real server', () => {
  test.each(['', '/'])('that is answered right is no failure (URL ends with "%s")', async (end) => {
    const { records, log } = await run({ convertUrl: (await startConvert()) + end });
    expect(records).toEqual([{ failed: false, durationMs: 20 }]);
    expect(log.lines).toEqual([]);
  });

  test('of a version that cannot read its table', async () => {
    const ready = async () => {
      throw new Error('down');
    };
    expectFailure(
      await run({ convertUrl: await startConvert(ready) }),
      /^the answer is HTTP 503, expected 200: the self-test cannot run: .* \(convert cannot read its table, /,
    );
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
    const result = await run({
      fetch: async () => {
        throw thrown;
      },
    });
    expectFailure(result, reason);
    expect(result.records[0]?.reason).toMatch(/^no answer from convert\.example\.com/);
  });
});

test('the request goes to the self-test, follows nothing and has 10 s', async () => {
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
      { method: 'POST', redirect: 'manual', signal: expect.anything() },
    ],
  ]);
});
