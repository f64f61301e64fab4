import { completionCommand } from '../../completion-scripts.ts';

export const completion = completionCommand('roundhouse');
