import type { Diagnostic } from '../../../engine/diagnostic.ts';
import type { Standing } from './rule-view.ts';

/** What is said of a draft, beyond what its analysis finds. */
export interface Report {
  /** The draft cannot do what the config did there. */
  refuse(at: Standing, message: string, hint: string): void;
  /** The draft does it a little differently. */
  remark(at: Standing, message: string, hint: string): void;
}

export function createReport(found: Diagnostic[]): Report {
  const report = (code: string, severity: Diagnostic['severity']) => (at: Standing, message: string, hint: string) => {
    const { spoke, index } = at;
    // A rule of the promoted version is turned around once for each of the others.
    if (found.some((other) => other.message === message && other.spoke === spoke && other.rule === index)) return;
    found.push({ code, severity, message, hint, path: '', spoke, ...(index !== undefined && { rule: index }) });
  };
  return { refuse: report('REHUB_NO_RULE', 'error'), remark: report('REHUB_DIFFERS', 'warning') };
}
