/** CloudWatch takes so many characters. */
const MAX_LENGTH = 1_024;

/**
 * A filter pattern of CloudWatch Logs that lets at least all lines pass that hold this text; undefined when there is none.
 *
 * The text is cut at quotes, backslashes and control characters, and each part is a quoted term: a line must hold all of
 * them. How those characters are escaped in a term is not documented, so who reads the lines looks for the whole text.
 */
export function renderFilterPattern(text: string): string | undefined {
  let pattern = '';
  for (const part of text.split(/["\\\p{Cc}]+/u)) {
    // Less of a term lets more lines pass.
    const term = part.trim().slice(0, MAX_LENGTH - pattern.length - 3);
    if (term.isWellFormed() && term !== '') pattern += `${pattern && ' '}"${term}"`;
  }
  return pattern === '' ? undefined : pattern;
}
