/** One call of the API, or one request to a function URL (operation `FunctionUrl`). */
export interface RecordedCall {
  readonly operation: string;
  readonly functionName?: string;
  readonly at: number;
  /** HTTP status of the answer; absent while there is none, and for ever when the connection was cut. */
  status?: number;
}

/** Every call since the start or the last `clear`; the newest 10,000. */
export interface CallRecorder {
  readonly all: readonly RecordedCall[];
  add(call: RecordedCall): RecordedCall;
  /** Calls of an operation; without a name all. */
  count(operation?: string, functionName?: string): number;
  clear(): void;
}

const LIMIT = 10_000;

export function createCallRecorder(): CallRecorder {
  const all: RecordedCall[] = [];
  return {
    all,
    add(call) {
      all.push(call);
      if (all.length > LIMIT) all.shift();
      return call;
    },
    count: (operation, functionName) =>
      all.filter(
        (call) =>
          (operation === undefined || call.operation === operation) &&
          (functionName === undefined || call.functionName === functionName),
      ).length,
    clear: () => {
      all.length = 0;
    },
  };
}
