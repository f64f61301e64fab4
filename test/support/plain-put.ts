import { request } from 'node:http';

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends what `curl -T FILE URL` does: a length, no type, no checksum. */
export function plainPut(
  url: string,
  body: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'PUT',
      headers: { accept: '*/*', 'user-agent': 'curl/8.5.0', 'content-length': Buffer.byteLength(body), ...headers },
    });
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
    });
    sent.end(body);
  });
}
