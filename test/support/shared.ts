import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Test material that is not part of the repository lies beside it, or where this variable says. */
const ROOT = process.env['SHARED_DIR'] ?? join(import.meta.dirname, '../../../shared');

/** The path of such material, and why tests that need it are skipped when it is not there. */
export function sharedMaterial(name: string): { path: string; missing: string | undefined } {
  const path = join(ROOT, name);
  return { path, missing: existsSync(path) ? undefined : `skipped: ${name} is not here (set SHARED_DIR)` };
}
