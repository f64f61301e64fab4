import { type AppRecord, isFinal } from '../../apps/model.ts';
import { envBytes, MAX_ENV_BYTES } from '../../apps/spec/env.ts';
import { type DoctorCheck, ok } from './check.ts';

const ENV_WARN = 0.875;
/** Longer than any attempt takes that is not waiting: its gate has 60 s by default. */
const STUCK_MS = 15 * 60_000;
/** GetPolicy takes 15 calls a second, for everybody in the account. */
const URL_SAMPLE = 10;
const NAMES_SHOWN = 10;

/** The apps. */
export const appChecks: readonly DoctorCheck[] = [
  {
    code: 'function_url_permissions',
    name: 'Both permissions of app URLs',
    async run({ runtime, clock }, { apps }) {
      const live = (await apps()).filter(({ live, deletion }) => live !== undefined && deletion === undefined);
      const sample = slice(live, Math.floor(clock.now() / 60_000));
      const urls = await Promise.all(sample.map(async (app) => ({ app, url: await runtime.findUrl(app.name) })));
      const broken = urls.filter(
        ({ url }) => url === undefined || !url.permissions.invokeFunction || !url.permissions.invokeFunctionUrl,
      );
      if (broken.length === 0) return ok(`${sample.length} of ${live.length} URLs were looked at.`);
      const message = `Callers get 403, or no answer: ${names(broken.map(({ app }) => app))}.`;
      const fix = 'Restart these apps: that makes the URL and both permissions again.';
      return { status: 'fail', message, fix };
    },
  },
  {
    code: 'stuck_attempts',
    name: 'Deploys and leases',
    async run({ clock }, { apps }) {
      const now = clock.now();
      const stuck = (await apps()).filter(({ attempt }) => {
        if (attempt === undefined || isFinal(attempt) || attempt.waitReason !== undefined) return false;
        return now - (attempt.startedAt ?? attempt.queuedAt) > STUCK_MS;
      });
      if (stuck.length === 0) return ok('No deploy runs for more than 15 minutes.');
      const fix = 'Look at the log of worker and at the dead-letter queue; cancel the deploy, or deploy again.';
      return { status: 'warn', message: `Deploys do not end: ${names(stuck)}.`, fix };
    },
  },
  {
    code: 'leftovers',
    name: 'Deleted apps',
    async run(_deps, { apps }) {
      const left = (await apps()).filter(({ deletion }) => deletion !== undefined && deletion.leftovers.length > 0);
      if (left.length === 0) return ok('Nothing of a deleted app is left.');
      const fix = 'GET /apps/{name} lists what is left and why; it is tried again, and removing it by hand is fine.';
      return { status: 'warn', message: `Some of it could not be removed: ${names(left)}.`, fix };
    },
  },
  {
    code: 'env_size',
    name: 'Room for variables',
    async run(_deps, { apps }) {
      const large = (await apps()).filter(({ spec }) => envBytes(spec.env) > ENV_WARN * MAX_ENV_BYTES);
      if (large.length === 0) return ok('No app is near the 4 KB of variables that Lambda takes.');
      const fix = 'Move large values into secrets or into a file of the package.';
      return { status: 'warn', message: `Near the 4 KB of variables that Lambda takes: ${names(large)}.`, fix };
    },
  },
  {
    code: 'certificates',
    name: 'Certificates of claimed domains',
    async run({ certificates }) {
      const bad = (await certificates()).filter(({ status }) => status !== 'healthy');
      if (bad.length === 0) return ok('None has expired or will soon.');
      const expired = bad.some(({ status }) => status === 'expired');
      const list = bad.slice(0, NAMES_SHOWN).map(({ domain, not_after }) => `${domain} (${not_after})`);
      const fix = 'ACM renews what it can validate: look at the DNS records that it asks for.';
      return { status: expired ? 'fail' : 'warn', message: `Ended, or ending soon: ${list.join(', ')}.`, fix };
    },
  },
];

/** Ten of them, others each minute, so that all are looked at in time. */
function slice(apps: readonly AppRecord[], turn: number): readonly AppRecord[] {
  const start = apps.length === 0 ? 0 : (turn * URL_SAMPLE) % apps.length;
  return [...apps.slice(start), ...apps.slice(0, start)].slice(0, URL_SAMPLE);
}

function names(apps: readonly AppRecord[]): string {
  const shown = apps.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const more = apps.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
