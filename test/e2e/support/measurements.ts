import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps what a test measured, as `NAME.json` in the folder that `ROUNDHOUSE_E2E_MEASUREMENTS` names; nowhere without. */
export function keepMeasurement(name: string, data: unknown): void {
  const folder = process.env['ROUNDHOUSE_E2E_MEASUREMENTS'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(data, null, 2)}\n`);
}
