import { type Path, renderPath } from './path.ts';

/**
 * `field`: the path itself. `tree`: every leaf below it too. `pointer`: the path itself, which may lie below another
 * pointer of the same rule. `inside`: parts of it; the rest is copied as it is.
 */
export type Extent = 'field' | 'tree' | 'pointer' | 'inside';

interface Claim {
  readonly path: Path;
  readonly rule: number;
  readonly extent: Extent;
}

/** The fields of one side that rules have taken, by printed path. */
export class Claims {
  private readonly byText = new Map<string, Claim>();
  private trees = 0;

  /** Takes a path; the index of the rule that had it already, if one had. */
  take(path: Path, rule: number, extent: Extent): number | undefined {
    const text = renderPath(path);
    const taken = this.byText.get(text);
    if (taken !== undefined) return taken.rule;
    this.byText.set(text, { path, rule, extent });
    if (extent === 'tree') this.trees++;
    return undefined;
  }

  /** Whether no identity copy may touch a leaf. */
  covers(path: Path, text: string): boolean {
    const claim = this.byText.get(text);
    if (claim !== undefined && claim.extent !== 'inside') return true;
    return this.trees > 0 && this.ancestor(path, (outer) => outer.extent === 'tree') !== undefined;
  }

  /** What identity copies must leave alone. */
  paths(): Path[] {
    return [...this.byText.values()].filter(({ extent }) => extent !== 'inside').map(({ path }) => path);
  }

  /** Claims of which one lies inside the other, except between the pointers of one patch (D11). */
  overlaps(): { inner: Claim; outer: Claim }[] {
    const found: { inner: Claim; outer: Claim }[] = [];
    for (const inner of this.byText.values()) {
      const outer = this.ancestor(inner.path, () => true);
      if (outer !== undefined && !(outer.rule === inner.rule && isPointer(outer))) found.push({ inner, outer });
    }
    return found;
  }

  private ancestor(path: Path, accept: (claim: Claim) => boolean): Claim | undefined {
    let text = '';
    for (let length = 1; length < path.length; length++) {
      text = length === 1 ? (path[0] as string) : `${text}.${path[length - 1]}`;
      const claim = this.byText.get(text);
      if (claim !== undefined && accept(claim)) return claim;
    }
    return undefined;
  }
}

function isPointer({ extent }: Claim): boolean {
  return extent === 'pointer' || extent === 'inside';
}
