import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Parts of a text that it lacks, wherever its lines are wrapped. */
function missing(file: string, parts: readonly string[]): string[] {
  const text = read(file).replace(/\s+/g, ' ');
  return parts.filter((part) => !text.includes(part));
}
const count = (value: number) => value.toLocaleString('en');
const time = (seconds: number) => `${Number(seconds.toPrecision(2))} s`;

describe('docs/measurements/watch-cache-refill.json', () => {
  const { machine, runs, refills, kubectl } = JSON.parse(read('docs/measurements/watch-cache-refill.json'));

  test('is what docs/performance.md says', () => {
    const { cpus, cpu, node, kubernetes } = machine;
    const rows = refills.map(({ objects, after, delayMs, calls, seconds }: any) => {
      return `| ${count(objects)} | ${after} | ${delayMs} ms | ${count(calls)} | ${time(seconds)} |`;
    });
    const parts = [
      `kube-apiserver ${kubernetes} and Node ${node} on ${cpus} CPUs (${cpu})`,
      `the least of ${runs} runs`,
      ['|---|---|---|---|---|', ...rows].join(' '),
      `${count(kubectl.objects)} objects took it ${time(kubectl.seconds)} and ${count(kubectl.calls)} calls`,
    ];
    expect(missing('docs/performance.md', parts)).toEqual([]);
  });

  test('is what the limits in README.md say', () => {
    const [fast, slow] = [0, 10].map((delay) =>
      refills.find(({ objects, after, delayMs }: any) => {
        return objects === 1_000 && after === 'a change of the CRD' && delayMs === delay;
      }),
    );
    const parts = [
      `${count(fast.objects)} objects of a kind are ${count(fast.calls)} calls`,
      `${time(fast.seconds)} with both on one machine, ${time(slow.seconds)} with ${slow.delayMs} ms more for each call`,
    ];
    expect(missing('README.md', parts)).toEqual([]);
  });
});
