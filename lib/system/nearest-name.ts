/**
 * The known name that a wrong one was probably meant to be, for "did you mean": spelling in capitals, hyphens and
 * underscores apart, at most a third of its characters may differ.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = simplify(name);
  const best = known
    .map((candidate) => ({ candidate, edits: countEdits(wanted, simplify(candidate)) }))
    .toSorted((a, b) => a.edits - b.edits)
    .at(0);
  return best && best.edits <= wanted.length / 3 ? best.candidate : undefined;
}

/** Names are short; what is longer is a mistake of another kind, and the time grows with the square. */
const MAX_LENGTH = 64;

function simplify(name: string): string {
  return name.slice(0, MAX_LENGTH).toLowerCase().replaceAll(/[-_]/g, '');
}

/** Levenshtein distance: how many characters must be put in, taken out or replaced. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] as number) + (b[j - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
