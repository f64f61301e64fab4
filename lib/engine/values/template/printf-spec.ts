/** One directive of a format, with the numbers for `*` filled in. */
export interface Spec {
  readonly verb: string;
  readonly width: number;
  readonly precision: number | undefined;
  /** `-`: pad on the right. */
  readonly left: boolean;
  readonly plus: boolean;
  readonly space: boolean;
  readonly sharp: boolean;
  /** `0`, unless `-` is there too. */
  readonly zero: boolean;
}

export const plainVerb: Spec = {
  verb: 'v',
  width: 0,
  precision: undefined,
  left: false,
  plus: false,
  space: false,
  sharp: false,
  zero: false,
};

/** Pads to the width, which counts code points. Zeros stand on the left of texts too, as in Go. */
export function pad(spec: Spec, text: string): string {
  const missing = spec.width === 0 ? 0 : spec.width - codePoints(text);
  if (missing <= 0) return text;
  return spec.left ? text + ' '.repeat(missing) : (spec.zero ? '0' : ' ').repeat(missing) + text;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
