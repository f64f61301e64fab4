/** The number 0.DIGITS × 10^point, without sign; no zeros at either end of the digits, none at all for zero. */
export interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** The fewest digits that read back as the same double. */
export function shortestDecimal(size: number): Decimal {
  const [mantissa = '', exponent = '0'] = size.toExponential().split('e');
  return trimmed(mantissa.replace('.', ''), Number(exponent) + 1);
}

/** All digits: a double is a fraction with a power of two below, so its decimal digits end. */
export function exactDecimal(size: number | bigint): Decimal {
  if (typeof size === 'bigint' || Number.isInteger(size)) {
    const digits = BigInt(size).toString();
    return trimmed(digits, digits.length);
  }
  // value = mantissa / 2^places = mantissa × 5^places / 10^places
  let mantissa = size;
  let places = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    places++;
  }
  const digits = (BigInt(mantissa) * 5n ** BigInt(places)).toString();
  return trimmed(digits, digits.length - places);
}

/** Rounds to `count` digits, a tie to the even digit, as Go does; a count below zero leaves nothing. */
export function roundDecimal({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, point };
  if (count < 0) return { digits: '', point: 0 };
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const last = Number(kept.at(-1) ?? 0);
  const up = rest[0] === '5' && rest.length === 1 ? last % 2 === 1 : (rest[0] as string) >= '5';
  if (!up) return trimmed(kept, point);
  const raised = (BigInt(kept || '0') + 1n).toString();
  return trimmed(raised, point + raised.length - count);
}

function trimmed(digits: string, point: number): Decimal {
  const start = digits.search(/[1-9]/);
  if (start < 0) return { digits: '', point: 0 };
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return { digits: digits.slice(start, end), point: point - start };
}

/** `1.50e+06`: `places` digits behind the point, an exponent of two digits or more. */
export function exponentForm({ digits, point }: Decimal, places: number): string {
  const exponent = digits === '' ? 0 : point - 1;
  const text = digits.padEnd(places + 1, '0');
  const fraction = places > 0 ? `.${text.slice(1, places + 1)}` : '';
  return `${text[0]}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** `1500000.00`: `places` digits behind the point. */
export function positionalForm({ digits, point }: Decimal, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (places <= 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(Math.min(-point, places)) + digits;
  return `${whole}.${fraction.slice(0, places).padEnd(places, '0')}`;
}
