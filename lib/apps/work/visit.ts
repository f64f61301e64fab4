import type { StepContext } from './step.ts';

/** One worker at one app, for the time of one message. */
export type Visit = Pick<StepContext, 'deps' | 'session' | 'memo' | 'deadline'>;
