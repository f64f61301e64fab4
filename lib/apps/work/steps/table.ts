import type { Step } from '../../model.ts';
import type { StepRun } from '../step.ts';
import { code } from './code.ts';
import { gate } from './gate.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { retain } from './retain.ts';
import { settings } from './settings.ts';
import { shift } from './shift.ts';
import { verify } from './verify.ts';

/** What each step does; their order is that of `STEPS`. */
export const STEP_RUNS: Readonly<Record<Step, StepRun>> = {
  prepare,
  code,
  settings,
  publish,
  gate,
  shift,
  verify,
  retain,
};
