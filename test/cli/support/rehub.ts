import { expect } from 'vitest';
import { rehub } from '../../../lib/cli/authoring/rehub/rehub.ts';
import type { ConversionSource } from '../../../lib/engine/analyse.ts';
import { compile } from '../../../lib/engine/compile.ts';
import type { JsonObject } from '../../../lib/engine/json.ts';
import type { Router } from '../../../lib/engine/route.ts';
import { createRun } from '../../../lib/engine/run.ts';
import { canonical } from '../../property/support/inspect.ts';

/** What is wrong with a draft, and the draft itself where nothing is. */
export async function turnAround(source: ConversionSource, to: string) {
  const { config, findings, analysis } = await rehub({ spec: {} }, source, to);
  const faults = [...findings, ...analysis.diagnostics].filter(({ severity }) => severity === 'error');
  const remarks = findings.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
  return {
    spec: config['spec'] as any,
    refused: faults.map(({ message }) => message),
    remarks,
    router: analysis.ok ? compile(analysis) : undefined,
  };
}

/** An object converts to the same, or fails, whichever of two configs does it. */
export function expectSame(before: Router, after: Router, object: JsonObject, from: string, to: string): void {
  for (const mode of ['review', 'offline'] as const) {
    expect(convert(after, object, from, to, mode)).toBe(convert(before, object, from, to, mode));
  }
}

function convert(router: Router, object: JsonObject, from: string, to: string, mode: 'review' | 'offline'): string {
  try {
    return canonical(router.convert(object, from, to, createRun(mode)));
  } catch {
    return 'fails';
  }
}
