/** Sign, hexadecimal digits around at most one point, and the binary exponent that Go demands. */
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/;

const MANTISSA_BITS = 53;
/** Exponent of the lowest bit of a subnormal double, and of the highest bit of the largest double. */
const MIN_BIT = -1074;
const MAX_EXPONENT = 1023;

/** 16 digits fill 64 bits; more digits only say whether something non-zero was cut. */
const SIGNIFICANT_DIGITS = 32;

/** A hexadecimal float of Go's syntax (`0x1.8p3`), rounded half to even; ±Infinity beyond doubles; undefined if malformed. */
export function parseHexFloat(text: string): number | undefined {
  const match = HEX_FLOAT.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.slice(0, SIGNIFICANT_DIGITS);
  const cut = /[^0]/.test(digits.slice(SIGNIFICANT_DIGITS)) ? 1n : 0n;
  // One more hexadecimal digit than kept: it carries the mark of what was cut.
  const mantissa = BigInt(`0x${kept}0`) | cut;
  const power = Number(exponent) + 4 * (digits.length - kept.length - 1 - fraction.length);
  const value = roundToDouble(mantissa, power);
  return sign === '-' ? -value : value;
}

/** `mantissa × 2^power` as the nearest double. */
function roundToDouble(mantissa: bigint, power: number): number {
  if (mantissa === 0n) return 0;
  const bits = mantissa.toString(2).length;
  const highest = power + bits - 1;
  if (highest > MAX_EXPONENT) return Number.POSITIVE_INFINITY;
  if (highest < MIN_BIT - 1) return 0;
  const lowest = Math.max(highest - MANTISSA_BITS + 1, MIN_BIT);
  const drop = lowest - power;
  if (drop <= 0) return Number(mantissa) * 2 ** power;
  const shift = BigInt(drop);
  const half = 1n << (shift - 1n);
  const rest = mantissa & ((1n << shift) - 1n);
  let kept = mantissa >> shift;
  if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
  return Number(kept) * 2 ** lowest;
}
