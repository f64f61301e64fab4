/** What goes wrong. */
export type FaultKind =
  /** 429 TooManyRequestsException; nothing is done. */
  | 'throttle'
  /** 409 ResourceConflictException; nothing is done. */
  | 'conflict'
  /** 500 ServiceException; nothing is done. */
  | 'error'
  /** The connection is cut before anything is done. */
  | 'cut'
  /** The call is carried out, and then the connection is cut. */
  | 'lost'
  /** An update (or a creation, or a publication) stays unfinished for `looks` looks, or till `release()`. */
  | 'slow'
  /** The process of the app dies in the middle of the call. */
  | 'crash';

export interface FaultRule {
  readonly kind: FaultKind;
  /** Name of the API operation, `UpdateFunctionCode`; `FunctionUrl` for a request to a URL. Absent: any. */
  readonly operation?: string;
  /** Absent: any. */
  readonly functionName?: string;
  /** How many calls it meets; 1 when absent. */
  readonly times?: number;
  /** How many matching calls pass before the first that it meets; 0 when absent. */
  readonly after?: number;
  /** Of `slow`: how many looks find the update unfinished. Absent: till `release()`. */
  readonly looks?: number;
  /** Of `slow`: the update ends as Failed, with Lambda's code (`InternalError`, `ImageAccessDenied`) and text. */
  readonly failure?: { readonly code: string; readonly reason: string };
}

export interface Fault {
  readonly rule: FaultRule;
  /** Calls that it has met. */
  readonly hits: number;
  /** Lets updates that it holds go on, and meets no more calls. */
  release(): void;
  readonly released: boolean;
}

/** Faults on demand: rules that the next matching calls meet. The first rule that matches a call is the one it meets. */
export interface Faults {
  inject(rule: FaultRule): Fault;
  /** The fault that this call meets. */
  take(operation: string, functionName: string | undefined): Fault | undefined;
  /** Releases all. */
  clear(): void;
}

interface Armed extends Fault {
  hits: number;
  passed: number;
  released: boolean;
}

export function createFaults(): Faults {
  const armed = new Set<Armed>();
  return {
    inject(rule) {
      const fault: Armed = {
        rule,
        hits: 0,
        passed: 0,
        released: false,
        release() {
          fault.released = true;
          armed.delete(fault);
        },
      };
      armed.add(fault);
      return fault;
    },
    take(operation, functionName) {
      for (const fault of armed) {
        const { rule } = fault;
        if (rule.operation !== undefined && rule.operation !== operation) continue;
        if (rule.functionName !== undefined && rule.functionName !== functionName) continue;
        if (fault.passed < (rule.after ?? 0)) {
          fault.passed += 1;
          continue;
        }
        fault.hits += 1;
        if (fault.hits >= (rule.times ?? 1)) armed.delete(fault);
        return fault;
      }
      return undefined;
    },
    clear() {
      for (const fault of armed) fault.release();
    },
  };
}
