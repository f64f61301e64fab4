import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * A process beside the one that runs the tests: it reads what they made, and ends and removes all of it when its input
 * ends. That is when they say so, and also when they are interrupted, fail or are killed.
 */
interface Made {
  /** The first process of a session; it, and whatever it started, is killed. */
  readonly session?: number;
  readonly folder?: string;
}

const sessions: number[] = [];
const folders: string[] = [];

// Ctrl-C reaches every process of a terminal. This one goes by its input.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const { session, folder } = JSON.parse(line) as Made;
  if (session !== undefined) sessions.push(session);
  if (folder !== undefined) folders.push(folder);
}
for (const pid of sessions.flatMap(membersOf)) kill(pid);
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });

/** Process groups would not do: the Lambda emulator gives the function a group of its own. */
function membersOf(session: number): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [-session];
  }
  return names.filter((name) => /^\d+$/.test(name) && sessionOf(name) === session).map(Number);
}

/** proc_pid_stat(5): after the name in parentheses come state, parent, group, session. */
function sessionOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
