import type { Json } from '../../json.ts';
import { compileProgram } from './compile.ts';
import { fieldNames } from './fields.ts';
import { MAX_TEXT } from './limits.ts';
import { parseProgram } from './parser.ts';
import { createFrame, Run } from './run.ts';
import { TemplateError } from './template-error.ts';

export { TemplateError };

/** A parsed template; it holds no state of a rendering. */
export interface Template {
  /** The keys of the data that the template names, sorted. One that is only used in a branch not taken may be absent. */
  readonly fields: readonly string[];
  /**
   * Renders with `data` as the top-level dot.
   * @throws TemplateError of kind `missing` (a key that is used is not in the data), `execution` or `limit`
   */
  render(data: ReadonlyMap<string, Json>): string;
}

/**
 * Parses a template of Go's text/template, with its built-in functions and the option missingkey=error.
 *
 * Differs from Go where numbers are concerned (D10: whole numbers print as such, compare with any literal and suit `%d`),
 * and refuses more when it parses: wrong argument counts, unknown verbs, templates that are not defined.
 * @throws TemplateError of kind `parse` or `limit`, with line and column
 */
export function parseTemplate(text: string): Template {
  if (text.length > MAX_TEXT) throw new TemplateError('limit', `the text is longer than ${MAX_TEXT} characters`);
  const program = parseProgram(text);
  const { execute, slots } = compileProgram(program);
  return {
    fields: fieldNames(program),
    render(data) {
      const run = new Run();
      execute(createFrame(run, slots, data), data);
      return run.output;
    },
  };
}
