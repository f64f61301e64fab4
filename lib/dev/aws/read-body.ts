import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AwsError } from './json-service.ts';

/** @throws AwsError when it is larger; what is left of it is not read */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new AwsError('RequestEntityTooLarge', `A request has at most ${maxBytes} bytes.`, 413);
  }
  return Buffer.concat(chunks);
}
