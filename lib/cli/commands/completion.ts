import { completionCommand } from '../completion-scripts.ts';

export const completion = completionCommand(
  'convctl',
  'For kubectl, put an executable file kubectl_complete-conv into the PATH that runs: kubectl conv __complete "$@"',
);
