import fc from 'fast-check';

/**
 * The same examples on every run, so that a red test is red for everybody. `FC_SEED=random` looks for new ones, and
 * `FC_SEED=<number>` repeats a report; fast-check prints the seed of a counter-example.
 */
const wanted = process.env['FC_SEED'] ?? '20261130';
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) });
