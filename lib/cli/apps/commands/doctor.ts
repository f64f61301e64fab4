import { defineCommand } from '../../command.ts';
import { DOCTOR_EXIT, type ExitCode } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import { printJson } from '../../output/json.ts';
import { paint } from '../../output/style.ts';
import { renderTable } from '../../output/table.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { RESULT_FLAG } from '../common.ts';
import type { Check } from '../shapes.ts';

export const doctor = defineCommand({
  name: 'doctor',
  group: 'System',
  summary: 'check what a Roundhouse needs, with cause and fix of each fault',
  description:
    'It has codes of its own: 0 all is well, or there are warnings only; 1 warnings, with --strict; 2 something fails; ' +
    '3 it could not look: wrong usage, or no answer. What could not be checked counts as a warning.',
  flags: {
    strict: { summary: 'end with 1 when there are warnings' },
    output: RESULT_FLAG,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [{ what: 'After a deployment of the stack', command: 'doctor --strict' }],
  undone: DOCTOR_EXIT.unable,
  async run({ flags }, io) {
    const apps = await openApps(flags, io);
    const report = await apps.doctor();
    if (flags.output === 'json') printJson(io, report);
    else io.out(render(report.checks, io));
    return judge(report.ok, report.checks, flags.strict);
  },
});

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function render(checks: readonly Check[], io: Io): string {
  const rows = checks.map(({ code, status, message = '', fix = '' }) => {
    const colour = Object.hasOwn(COLOURS, status) ? COLOURS[status as keyof typeof COLOURS] : undefined;
    return [code, colour === undefined ? status : paint(io, colour, status), message, fix];
  });
  return renderTable([['CHECK', 'STATUS', 'CAUSE', 'FIX'], ...rows]);
}

function judge(ok: boolean, checks: readonly Check[], strict: boolean): ExitCode {
  if (!ok || checks.some(({ status }) => status === 'fail')) return DOCTOR_EXIT.failures;
  return strict && checks.some(({ status }) => status !== 'ok') ? DOCTOR_EXIT.warnings : DOCTOR_EXIT.ok;
}
