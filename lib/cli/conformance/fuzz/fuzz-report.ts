import type { Json, JsonObject } from '../../../engine/json.ts';
import type { Issue } from '../report.ts';

/** Faults of one way that are looked for: each search leaves out what was found before. */
export const MAX_COUNTER_EXAMPLES = 5;

/** One way that generated objects go, and what was found there. */
export interface FuzzWay {
  readonly from: string;
  readonly to: string;
  /** Whether a field was edited at `to` before the way back. */
  readonly edited: boolean;
  /** Objects that went this way. */
  readonly objects: number;
  /** Generated objects that their own schema refuses, and which were left out. */
  readonly leftOut: number;
  readonly counterExamples: readonly CounterExample[];
  /** More objects of round trips, which hold whatever the schema allows, also beyond what the rules say they carry. */
  readonly objectsBeyond: number;
  /** Those of them that do not come back, each fault once; none of `counterExamples` is among them. */
  readonly beyond: readonly CounterExample[];
}

/** An object that does not come back as it was, with as few fields as still show it. */
export interface CounterExample {
  readonly object: JsonObject;
  /** What was changed at the other version. */
  readonly edit?: { readonly path: string; readonly value: Json };
  /** Scalars of the object, and of the first one that showed the fault. */
  readonly fields: number;
  readonly firstFields: number;
  readonly issues: readonly Issue[];
}

export interface FuzzReport {
  readonly meta: {
    readonly resourceKind: 'CRD' | 'XRD';
    readonly resource: string;
    readonly config: string;
    readonly hubVersion: string;
    readonly seed: number;
    readonly runs: number;
    readonly generatedAt: string;
    readonly durationMs: number;
  };
  readonly summary: {
    readonly objects: number;
    readonly counterExamples: number;
    readonly beyond: number;
    readonly acknowledged: number;
    readonly schemaIssues: number;
  };
  readonly ways: readonly FuzzWay[];
  /** Losses that a rule acknowledges, each place once, with the first example. */
  readonly acknowledged: readonly Issue[];
  /** Places of converted objects that an apiserver would prune or refuse, each once. */
  readonly schemaIssues: readonly Issue[];
}
