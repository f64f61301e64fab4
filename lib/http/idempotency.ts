import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { IdempotencyStore } from '../configs/types.ts';
import { AppError } from '../errors.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import { readBearerToken } from './auth.ts';
import type { HttpRequest, HttpResponse } from './function-url.ts';

interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  readonly log: Log;
}

/** Printable ASCII, as a header value; the limit is that of the header's draft standard. */
const MAX_KEY_LENGTH = 255;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export type RunOnce = (
  request: HttpRequest,
  tokenId: string,
  run: () => Promise<HttpResponse>,
) => Promise<HttpResponse>;

/**
 * Gives a mutation with an `Idempotency-Key` its first answer again (R66). Only answers below 300 are kept: a request
 * that was refused changed nothing and is judged afresh. Keys of two tokens never meet.
 *
 * A kept answer can hold the text of a new token, which is stored nowhere else, so it is sealed with a key made from the
 * caller's own bearer token: what lies in the table is of no use without it.
 */
export function createRunOnce({ store, log }: IdempotencyOptions): RunOnce {
  return async (request, tokenId, run) => {
    const key = request.headers.get('idempotency-key');
    if (key === undefined || request.method === 'GET' || request.method === 'HEAD') return await run();
    if (key === '' || key.length > MAX_KEY_LENGTH) {
      throw new AppError('BAD_REQUEST', `Idempotency-Key: 1 to ${MAX_KEY_LENGTH} characters are allowed`);
    }
    const scoped = `${tokenId}/${key}`;
    const bearer = readBearerToken(request.headers.get('authorization'));
    const sealer = createSealer(bearer, scoped);
    const begun = await store.begin(scoped, hashRequest(request, bearer, scoped));
    if (begun.state === 'replay') return replay(begun.response, sealer);
    if (begun.state === 'mismatch') {
      throw new AppError('UNPROCESSABLE', 'this Idempotency-Key was used with another request');
    }
    if (begun.state === 'in-progress') {
      const headers = { 'retry-after': '1' };
      throw new AppError('CONFLICT', 'the first request with this Idempotency-Key is still running', { headers });
    }
    return await runFirst(scoped, run, sealer);
  };

  async function runFirst(key: string, run: () => Promise<HttpResponse>, sealer: Sealer): Promise<HttpResponse> {
    let response: HttpResponse;
    try {
      response = await run();
    } catch (error) {
      await bookkeep(() => store.abandon(key));
      throw error;
    }
    const { status, headers, body } = response;
    await bookkeep(() => store.complete(key, { status, headers, body: sealer.seal(body) }));
    return response;
  }

  /** The mutation has already succeeded or failed: that answer counts, whatever becomes of the record of it. */
  async function bookkeep(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      log.warn('idempotency record not written', describeError(error));
    }
  }
}

interface Sealer {
  seal(text: string): string;
  open(sealed: string): string;
}

function replay(stored: { status: number; headers: HttpResponse['headers']; body: string }, sealer: Sealer) {
  const headers = { ...stored.headers, 'idempotency-replayed': 'true' };
  return { status: stored.status, headers, body: sealer.open(stored.body) };
}

/** Keyed, because a body can be a secret that is easy to guess: from a plain hash in the table it could be found out. */
function hashRequest({ method, path, rawQuery, headers, text }: HttpRequest, bearer: string, scoped: string): string {
  const parts = [scoped, method, path, rawQuery, headers.get('if-match') ?? '', text()];
  return createHmac('sha256', bearer).update(JSON.stringify(parts)).digest('hex');
}

function createSealer(secret: string, salt: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'roundhouse idempotency', 32));
  return {
    seal: (text) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open: (text) => {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
