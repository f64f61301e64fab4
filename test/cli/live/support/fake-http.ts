export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: any;
  readonly type: string | undefined;
  /** Which connection it came over. */
  readonly connection: number;
}

export interface FakeReply {
  readonly status: number;
  readonly body: any;
  readonly headers?: Record<string, string>;
}

/** A Status as an apiserver answers it. */
export function status(code: number, reason: string, message: string, metadata: object = {}): FakeReply {
  return {
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message, reason, code },
  };
}
