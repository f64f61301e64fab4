import { renderMilliseconds } from '../cluster/milliseconds.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { printJson } from '../output/json.ts';
import { printable, printableLines } from '../output/printable.ts';
import type { Apps } from './api.ts';
import { isHeld } from './follow.ts';
import type { Attempt } from './shapes.ts';

/**
 * Says what became of an attempt, and gives the code to end with: 1 when it is over without a release.
 * @param format `json` prints the attempt as the API has it, once
 */
export async function tellOutcome(
  apps: Apps,
  name: string,
  attempt: Attempt,
  format: string,
  io: Io,
): Promise<ExitCode> {
  if (format === 'json') printJson(io, attempt);
  else if (attempt.status === 'succeeded') io.out(`${printable(await successLine(apps, name, attempt))}\n`);
  else if (isHeld(attempt)) {
    io.out(
      `${printable(`${name}: ${attempt.id} waits, because the app is stopped: \`roundhouse apps start ${name}\` lets it go on`)}\n`,
    );
  }
  if (attempt.status === 'succeeded') {
    const rotated = attempt.rotated_secrets ?? [];
    if (rotated.length > 0) io.err(`${printable(`note: secrets that changed since: ${rotated.join(', ')}`)}\n`);
    return EXIT.ok;
  }
  if (isHeld(attempt)) return EXIT.ok;
  io.err(printableLines(explainEnd(name, attempt)));
  return EXIT.finding;
}

async function successLine(apps: Apps, name: string, attempt: Attempt): Promise<string> {
  // Who may deploy need not be one who may read; the URL is a courtesy.
  const url = await apps.get(name).then(
    (app) => app.url,
    () => undefined,
  );
  const { id, release, rollback_of: from } = attempt;
  const what = release === undefined ? 'it' : `release ${release}`;
  const back = from?.release === undefined ? '' : ` (${from.release} again)`;
  return `${name}: ${what}${back} is live${url === undefined ? '' : ` at ${url}`} (${[id, tookText(attempt)].filter(Boolean).join(', ')})`;
}

function tookText({ started_at = '', finished_at = '' }: Attempt): string {
  const took = Date.parse(finished_at) - Date.parse(started_at);
  return Number.isNaN(took) ? '' : renderMilliseconds(Math.max(0, took));
}

/** What a person needs to mend it: what, where, why, the evidence, and what to do. */
export function explainEnd(name: string, attempt: Attempt): string {
  const { id, status, step, failure, error, superseded_by: by, canceled_by: canceler } = attempt;
  if (status === 'superseded') return `${name}: ${id} was superseded${by === undefined ? '' : ` by ${by}`}\n`;
  if (status === 'canceled') return `${name}: ${id} was canceled${canceler === undefined ? '' : ` by ${canceler}`}\n`;
  if (status !== 'failed') return `${name}: ${id} is ${status}\n`;
  const at = failure?.failing_step ?? step;
  const cause = failure?.cause ?? error ?? 'no cause is known';
  const code = failure === undefined ? '' : ` (${failure.code})`;
  return [
    `${name}: ${id} failed${at === undefined ? '' : ` at ${at}`}: ${cause}${code}\n`,
    ...(failure?.log_excerpt ?? '')
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `  | ${line}\n`),
    ...(failure?.suggested_fix === undefined ? [] : [`fix: ${failure.suggested_fix}\n`]),
  ].join('');
}
