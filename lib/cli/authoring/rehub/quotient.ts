/** `digits × 10^exponent` */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

export interface Quotient {
  readonly value: number;
  /** The decimal text of the value is the quotient, not only next to it. */
  readonly exact: boolean;
}

/** a / b of two numbers as they are written: 1 / 0.001 is 1000, and 1 / 0.00001 is 100000 (not 99999.99999999999). */
export function divide(a: number | bigint, b: number | bigint): Quotient {
  const [dividend, divisor] = [parseDecimal(a), parseDecimal(b)];
  const { twos, fives, rest } = factorise(divisor.digits < 0n ? -divisor.digits : divisor.digits);
  const sign = divisor.digits < 0n ? -1n : 1n;
  const places = Math.max(twos, fives);
  // 10^places / divisor has no fraction left but that of `rest`.
  const digits = sign * dividend.digits * 2n ** BigInt(places - twos) * 5n ** BigInt(places - fives);
  const exponent = dividend.exponent - divisor.exponent - places;
  if (digits % rest !== 0n) return { value: Number(a) / Number(b), exact: false };
  const value = Number(`${digits / rest}e${exponent}`);
  return { value, exact: equal(parseDecimal(value), { digits: digits / rest, exponent }) };
}

function parseDecimal(number: number | bigint): Decimal {
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function factorise(digits: bigint): { twos: number; fives: number; rest: bigint } {
  let [rest, twos, fives] = [digits, 0, 0];
  for (; rest % 2n === 0n; rest /= 2n) twos++;
  for (; rest % 5n === 0n; rest /= 5n) fives++;
  return { twos, fives, rest };
}

function equal(a: Decimal, b: Decimal): boolean {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scaled(a) === scaled(b);
}
