import middy from '@middy/core';
import {
  decodeRequest,
  encodeResponse,
  type FunctionUrlEvent,
  type FunctionUrlResult,
  type HttpRequest,
  type HttpResponse,
  type Invocation,
} from './function-url.ts';

/** A Lambda handler behind a function URL. It never rejects: a throw would be a bare 502 to the caller. */
export type FunctionUrlHandler = (event: FunctionUrlEvent, invocation?: Invocation) => Promise<FunctionUrlResult>;

interface HttpHandler {
  readonly handle: (request: HttpRequest, invocation: Invocation) => Promise<HttpResponse>;
  /** The answer to whatever `handle` threw; `request` is missing when the event itself could not be read. */
  readonly renderError: (error: unknown, request: HttpRequest | undefined) => HttpResponse;
  /** Told of every answer, errors included. */
  readonly observe?: (request: HttpRequest, response: HttpResponse) => void;
}

/** What a middleware sees. `functionUrl` swaps the event for the decoded request, and the response for Lambda's form. */
interface Exchange {
  event: unknown;
  response?: unknown;
  error?: unknown;
}

/** Puts a request handler into the middy frame: decode the event, handle, answer errors, encode. */
export function createHttpHandler({ handle, renderError, observe }: HttpHandler): FunctionUrlHandler {
  const frame = middy(handle as never, { timeoutEarlyInMillis: 0 });
  frame.use(functionUrl());
  if (observe) frame.use(observeAnswers(observe));
  frame.use(answerErrors(renderError));
  return (event, invocation = {}) =>
    frame(event as never, invocation as never) as unknown as Promise<FunctionUrlResult>;
}

function functionUrl() {
  const encode = (exchange: Exchange) => {
    exchange.response = encodeResponse(exchange.response as HttpResponse);
  };
  return {
    before: (exchange: Exchange) => {
      exchange.event = decodeRequest(exchange.event as FunctionUrlEvent);
    },
    after: encode,
    onError: encode,
  };
}

function observeAnswers(observe: NonNullable<HttpHandler['observe']>) {
  const report = ({ event, response }: Exchange) => {
    if (isDecoded(event)) observe(event, response as HttpResponse);
  };
  return { after: report, onError: report };
}

/** Middy calls `after` and `onError` in reverse order of use, so this one turns the error into an answer first. */
function answerErrors(renderError: HttpHandler['renderError']) {
  return {
    onError: (exchange: Exchange) => {
      const { event, error } = exchange;
      exchange.response = renderError(error, isDecoded(event) ? event : undefined);
    },
  };
}

function isDecoded(event: unknown): event is HttpRequest {
  return typeof event === 'object' && event !== null && 'segments' in event;
}
