import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { getOwn, isArray, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { JsonError, parseJson, stringifyJson } from '../../k8s/json.ts';
import type { Io } from '../io.ts';
import type { Access } from './access.ts';
import { codeOf, endless, foreign, noAnswer, refusal } from './failures.ts';
import { type HttpAnswer, type HttpRequest, type Send, sendRequest } from './http.ts';

export interface ClientOptions {
  readonly access: Access;
  readonly timeoutMs: number;
  readonly env: Io['env'];
  /** Tests pass their own; the rest of the program has one of each. */
  readonly send?: Send;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly random?: () => number;
  readonly newId?: () => string;
}

interface Call {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Json;
  readonly ifMatch?: string | undefined;
  /** Of the same change when it is sent again; else each call has its own. */
  readonly idempotencyKey?: string | undefined;
  /** A 409 that passes (it has a `Retry-After`) is the caller's: it may take long, and something is to be said of it. */
  readonly tellConflict?: boolean;
}

/** Calls of one API. Every method rejects with an `AppError` that a person can act on. */
export interface Client {
  readonly access: Access;
  /** The answer's JSON; undefined when it has no body. */
  readonly call: (method: string, path: string, call?: Call) => Promise<Json | undefined>;
  /** Every item of a list, whatever number of pages it has. */
  readonly list: (path: string) => Promise<Json[]>;
  /** The same where answers are bare arrays, and the `Link` of each leads to the next. */
  readonly listBare: (path: string, query?: Call['query']) => Promise<Json[]>;
}

const ATTEMPTS = 4;
/** The wait before the second attempt; each one after it is twice as long. */
const FIRST_WAIT_MS = 250;
/** A server that asks for a longer pause is left alone: the command ends instead. */
const LONGEST_WAIT_MS = 10_000;
const PAGE_SIZE = '200';
/** 200,000 items or more: they are no list, but a server that always says that there is a next page. */
const MAX_PAGES = 1000;
/** Nothing may have been done yet, or it was done and the `Idempotency-Key` gets its answer again. */
const PASSING_STATUS = new Set([429, 502, 503, 504]);
const PASSING_CODES = /^(ECONNRESET|EPIPE|EAI_AGAIN)$/;

/**
 * Reads, and changes under an `Idempotency-Key`, are tried four times when the trouble is one that passes: the second
 * attempt of a change gets the answer of the first one where that was carried out.
 */
export function createClient(options: ClientOptions): Client {
  const { access, newId = randomUUID } = options;
  const ask = async (method: string, path: string, given: Call = {}): Promise<HttpAnswer> => {
    const { query = {}, body, ifMatch, idempotencyKey = newId(), tellConflict = false } = given;
    const url = new URL(`${access.server}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const headers = {
      authorization: `Bearer ${access.token}`,
      accept: 'application/json',
      ...(method !== 'GET' && { 'idempotency-key': idempotencyKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    };
    const { ca } = access;
    const { timeoutMs, env } = options;
    const text = body === undefined ? {} : { body: stringifyJson(body) };
    const request = { method, url, headers, ...text, ...(ca && { ca }), timeoutMs, env };
    return await sendPatiently(request, options, tellConflict);
  };
  const readAnswer = ({ status, headers, text }: HttpAnswer): Json | undefined => {
    const isJson = /^application\/([\w.-]+\+)?json\b/.test(String(headers['content-type'] ?? ''));
    const json = isJson ? parsed(text) : undefined;
    if (status < 200 || status >= 300) throw refusal(status, json, access, headers);
    if (json === undefined && status !== 204) throw foreign(status, undefined, access);
    return json;
  };
  const call: Client['call'] = async (...asked) => readAnswer(await ask(...asked));
  const list: Client['list'] = async (path) => {
    const items: Json[] = [];
    let pages = 0;
    let next: string | undefined;
    do {
      const page = await call('GET', path, { query: { limit: PAGE_SIZE, next } });
      const { found, more } = readPage(page);
      if (found === undefined) throw foreign(200, undefined, access);
      items.push(...found);
      if (++pages === MAX_PAGES) throw endless(access);
      next = more;
    } while (next !== undefined);
    return items;
  };
  const listBare: Client['listBare'] = async (path, query = {}) => {
    const items: Json[] = [];
    let next: Call['query'] | undefined = query;
    for (let pages = 0; next !== undefined; pages++) {
      if (pages === MAX_PAGES) throw endless(access);
      const answer: HttpAnswer = await ask('GET', path, { query: next });
      const found = readAnswer(answer);
      if (!isArray(found)) throw foreign(200, undefined, access);
      items.push(...found);
      next = nextQuery(answer, access.server);
    }
    return items;
  };
  return { access, call, list, listBare };
}

/** Where the next page is. Only the query of the link counts: a token goes to our own address and to no other. */
function nextQuery({ headers: { link = '' } }: HttpAnswer, server: string): Record<string, string> | undefined {
  const target = /<([^<>]*)>\s*;\s*rel="?next\b/.exec(String(link))?.[1];
  if (target === undefined || !URL.canParse(target, server)) return undefined;
  return Object.fromEntries(new URL(target, server).searchParams);
}

function readPage(page: Json | undefined): { found?: readonly Json[]; more?: string } {
  const fields: JsonObject = isObject(page) ? page : {};
  const [items, next] = [getOwn(fields, 'items'), getOwn(fields, 'next')];
  return { ...(isArray(items) && { found: items }), ...(typeof next === 'string' && { more: next }) };
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

async function sendPatiently(request: HttpRequest, options: ClientOptions, tellConflict: boolean): Promise<HttpAnswer> {
  const { access, send = sendRequest, wait = sleep, random = Math.random } = options;
  for (let attempt = 1; ; attempt++) {
    // Half of it is chance, so that many clients which failed together do not come back together.
    let pause = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + random() / 2);
    try {
      const answer = await send(request);
      const asked = Number(answer.headers['retry-after'] ?? Number.NaN) * 1000;
      // 409 with a time: the first attempt is still at work.
      const passes = PASSING_STATUS.has(answer.status) || (answer.status === 409 && asked >= 0 && !tellConflict);
      pause = Math.max(pause, asked || 0);
      if (!passes || attempt === ATTEMPTS || pause > LONGEST_WAIT_MS) return answer;
    } catch (error) {
      if (!PASSING_CODES.test(codeOf(error)) || attempt === ATTEMPTS) throw noAnswer(error, access, options);
    }
    await wait(pause);
  }
}
