import { AppError } from '../../errors.ts';

/** Of nine digits at most. @throws AppError naming the flag, for another text or a smaller number */
export function parseWholeNumber(text: string, flag: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new AppError('BAD_REQUEST', `${flag} ${text} is no whole number from ${least} to 999999999`);
}
