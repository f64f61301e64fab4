import type { AppRecord, Attempt } from '../model.ts';
import type { AppChange } from '../records.ts';
import { redact } from './excerpt.ts';
import type { Session } from './session.ts';
import { OutOfTime, Replaced } from './signals.ts';
import { nextTask } from './tasks.ts';
import type { WorkerDeps } from './types.ts';

const DETAIL_LENGTH = 500;
/** Of everything that is told of one step, the newest. */
const MAX_DETAIL = 2_000;

/** What one message of work has learnt and need not ask again. Never relied on: the next message begins without it. */
interface Memo {
  roleArn?: string;
  /** The function was made with this attempt's settings just now. */
  created?: true;
  url?: string;
  /** What the new version answered at the gate. */
  gateStatus?: number;
}

/** What a step works with. */
export interface StepContext {
  readonly deps: WorkerDeps;
  readonly session: Session;
  readonly memo: Memo;
  /** When the steps of this message have to end, in milliseconds since the epoch. */
  readonly deadline: number;
  app(): AppRecord;
  /** The attempt as it is stored. @throws Replaced */
  attempt(): Attempt;
  /** Milliseconds that the step has taken, over all messages. */
  elapsedMs(): number;
  /** Says what the step waits for or found; a later text with the same `topic` takes its place. Values of variables are blotted out. */
  tell(topic: string, text: string): void;
  /** Writes what was told, which also proves that the lease is still there. */
  note(): Promise<void>;
  detail(): string;
  /** @throws OutOfTime when too little of the message's time is left */
  pause(ms: number): Promise<void>;
}

/** What a finished step leaves behind; written in one save with the end of the step. */
export interface StepResult {
  readonly attempt?: (attempt: Attempt) => Attempt;
  readonly app?: (app: AppRecord) => AppChange;
}

/** One step: may run any number of times and goes on from what AWS says. */
export type StepRun = (context: StepContext) => Promise<StepResult>;

interface ContextInput extends Pick<StepContext, 'deps' | 'session' | 'memo' | 'deadline'> {
  readonly attemptId: string;
}

export function createContext({ attemptId, ...input }: ContextInput): StepContext {
  const { deps, session, deadline } = input;
  const attemptOf = ({ attempt }: AppRecord): Attempt => {
    if (attempt?.id !== attemptId) throw new Replaced();
    return attempt;
  };
  const attempt = () => attemptOf(session.app());
  const before = attempt().steps.at(-1)?.detail;
  const told = new Map<string, string>(before === undefined ? [] : [['before', before]]);
  // Every message brings what was told before it along.
  const detail = () => [...told.values()].join('; ').slice(-MAX_DETAIL);
  return {
    ...input,
    app: session.app,
    attempt,
    elapsedMs: () => deps.clock.now() - (attempt().steps.at(-1)?.startedAt ?? deps.clock.now()),
    tell: (topic, text) => void told.set(topic, redact(text, attempt().settings.env).slice(0, DETAIL_LENGTH)),
    detail,
    async note() {
      await session.save((app) => ({ attempt: noted(attemptOf(app), detail()) }));
    },
    async pause(ms) {
      if (deps.clock.now() + ms > deadline) throw new OutOfTime();
      await deps.delay(ms);
      // Stop, cancel and delete do not wait for the end of a step; the lease is renewed on the way.
      await session.save(() => ({}));
      if (nextTask(session.app()) !== 'step') throw new Replaced();
    },
  };
}

function noted(attempt: Attempt, detail: string): Attempt {
  const last = attempt.steps.at(-1);
  if (last === undefined || detail === '') return attempt;
  return { ...attempt, steps: [...attempt.steps.slice(0, -1), { ...last, detail }] };
}
