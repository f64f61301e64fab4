import { cacheKey, passKey } from '../../store/keys.ts';
import { ttlAt } from '../../store/ports.ts';
import { type DoctorCheck, ok } from './check.ts';

const MINUTE_MS = 60_000;
const RECONCILE_WARN_MS = 3 * MINUTE_MS;
const RECONCILE_FAIL_MS = 10 * MINUTE_MS;
const CLOCK_SKEW_MS = 5 * MINUTE_MS;
const CODE_WARN = 0.8;
const CODE_FAIL = 0.95;
/** Lambda leaves at least so many instances unreserved; an account whose limit is below has little to give at all. */
const UNRESERVED_FLOOR = 100;
const UNRESERVED_WARN = UNRESERVED_FLOOR + 20;

/** The account and our own parts. */
export const platformChecks: readonly DoctorCheck[] = [
  {
    code: 'database',
    name: 'The table can be written and read',
    async run({ store, clock, ids }) {
      const item = { ...cacheKey(`doctor-${ids()}`), at: clock.now(), expiresAt: ttlAt(clock.now() + MINUTE_MS) };
      const fix = 'Look at the alarms of the table and at the policies of the role of api; deploy the stack again.';
      try {
        await store.put(item);
        const found = await store.get(item);
        await store.remove(item);
        if (found?.['at'] === item.at) return ok('An item was written, read and removed.');
        return { status: 'fail', message: 'An item that was written could not be read back.', fix };
      } catch {
        return { status: 'fail', message: 'The table does not take or give an item.', fix };
      }
    },
  },
  {
    code: 'lambda_api',
    name: 'The Lambda API answers',
    async run(_deps, { account }) {
      const fix = 'Look at the AWS Health dashboard of the Region and at the policies of the role of api.';
      try {
        const { functions } = await account();
        return ok(`It answers; the account has ${functions} functions in this Region.`);
      } catch {
        return { status: 'fail', message: 'It does not answer, or refuses: nothing can be deployed or stopped.', fix };
      }
    },
  },
  {
    code: 'code_storage',
    name: 'Room for code',
    async run(_deps, { account }) {
      const { codeBytes, codeBytesLimit } = await account();
      const used = codeBytesLimit === 0 ? 0 : codeBytes / codeBytesLimit;
      const message = `${percent(used)} of the code storage of the Region is used.`;
      if (used < CODE_WARN) return ok(message);
      const fix = 'Remove functions and versions that nobody needs, or raise the quota L-2ACBD22F.';
      return { status: used < CODE_FAIL ? 'warn' : 'fail', message, fix };
    },
  },
  {
    code: 'unreserved_concurrency',
    name: 'Free instances',
    async run(_deps, { account }) {
      const { concurrency, unreservedConcurrency } = await account();
      const message = `${unreservedConcurrency} of ${concurrency} instances of the account are not reserved.`;
      const fix = 'Reserve less (docs/deploy.md), or raise the quota L-B99A9384.';
      if (concurrency < UNRESERVED_FLOOR) {
        const few = `${message} With so few, one busy app can stop conversion: one apiserver sends 200 reviews a second.`;
        return { status: 'warn', message: few, fix };
      }
      return unreservedConcurrency < UNRESERVED_WARN ? { status: 'warn', message, fix } : ok(message);
    },
  },
  {
    code: 'convert_url',
    name: 'The URL that apiservers call',
    async run({ probeConvert }) {
      const reason = await probeConvert();
      if (reason === undefined) return ok('A synthetic review was answered.');
      const fix =
        'docs/deploy.md has what to do under the alarm synthetic-review; deploy again if a permission is missing.';
      return { status: 'fail', message: `A synthetic review was not answered well: ${reason}.`, fix };
    },
  },
  {
    code: 'scheduler_last_run',
    name: 'Reconcile runs',
    async run({ store, clock }) {
      const item = await store.get(passKey('fast'));
      const at = item?.['startedAt'];
      const fix = 'Look at the schedules of the stack and at the log of reconcile.';
      if (typeof at !== 'number') return { status: 'warn', message: 'No pass has run yet.', fix };
      const age = clock.now() - at;
      const message = `The last pass began ${Math.round(age / 1000)} s ago.`;
      if (age <= RECONCILE_WARN_MS) return ok(message);
      return { status: age <= RECONCILE_FAIL_MS ? 'warn' : 'fail', message, fix };
    },
  },
  {
    code: 'clock_skew',
    name: 'The clock',
    async run({ clock, serverTime }) {
      const skew = Math.abs((await serverTime()) - clock.now());
      const message = `It differs from that of AWS by ${Math.round(skew / 1000)} s.`;
      if (skew <= CLOCK_SKEW_MS) return ok(message);
      return { status: 'warn', message, fix: 'Set the clock of this machine: leases, tokens and signatures need it.' };
    },
  },
  {
    code: 'bootstrap_done',
    name: 'Tokens beside the first one',
    async run({ countTokens }) {
      const count = await countTokens();
      if (count > 0) return ok(`${count} tokens besides the root token are valid.`);
      const fix = 'Make one for each person and pipeline with POST /api/v1/auth/tokens, and keep the root token away.';
      return { status: 'warn', message: 'Only the root token is there.', fix };
    },
  },
];

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
