/**
 * Control characters, which a terminal obeys, and the marks that turn the direction of a text, which make a person read
 * what is not there. A tab is neither.
 */
const UNSAFE = /(?!\t)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** How many pictures of control characters Unicode has, from U+2400 on. */
const PICTURES = 0x20;

/**
 * A text of others (a file, a cluster, a server) for one line of a terminal: each character that is not shown is a
 * picture of it, one for one, so that columns stay.
 *
 * A runner of GitHub Actions obeys lines that begin with two colons, in any output and after any blanks: the first colon
 * becomes one that only looks the same.
 */
export function printable(text: string): string {
  return text
    .replace(UNSAFE, (character) => {
      const code = character.charCodeAt(0);
      return code < PICTURES ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd';
    })
    .replace(/^(\s*):(?=:)/, '$1\u2236');
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
