import { analyse, type ConversionSource } from '../engine/analyse.ts';
import { compile } from '../engine/compile.ts';
import type { Router } from '../engine/route.ts';

/** Makes the plan of a stored revision. Rejects when it cannot be compiled; the message names the first finding. */
export type CompileRevision = (source: ConversionSource) => Promise<Router>;

export const compileRevision: CompileRevision = async (source) => {
  const analysis = await analyse(source);
  const finding = analysis.diagnostics.find(({ severity }) => severity === 'error');
  if (finding !== undefined) throw new Error(`${finding.code}: ${finding.message}`);
  return compile(analysis);
};
