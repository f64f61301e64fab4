import { readFileSync } from 'node:fs';
import { parseJson } from '../../lib/k8s/json.ts';
import { type Check, checkVector, type Vector } from './vector.ts';

const SHOWN = 20;

/** `npm run test:vectors -- FILE…`: runs vector files (JSON lines) and prints the first differences by id and path. */
async function main(files: readonly string[]): Promise<number> {
  if (files.length === 0) {
    process.stderr.write('usage: npm run test:vectors -- FILE.jsonl…\n');
    return 2;
  }
  let passed = 0;
  const failures: Check[] = [];
  for (const file of files) {
    const lines = readFileSync(file, 'utf8').split('\n');
    for (const [index, line] of lines.entries()) {
      if (line.trim() === '') continue;
      let vector: Vector;
      try {
        vector = parseJson(line) as unknown as Vector;
      } catch (error) {
        throw new Error(`${file}:${index + 1}: ${(error as Error).message}`, { cause: error });
      }
      for (const check of await checkVector(vector)) {
        if (check.difference === undefined) passed++;
        else failures.push(check);
      }
    }
  }
  for (const { id, difference } of failures.slice(0, SHOWN)) process.stdout.write(`${id}: ${difference}\n`);
  if (failures.length > SHOWN) process.stdout.write(`… and ${failures.length - SHOWN} more\n`);
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
  return failures.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
