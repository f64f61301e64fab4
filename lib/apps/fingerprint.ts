import { createHmac } from 'node:crypto';
import type { AppRecord } from './model.ts';

/** Tells that two values are not the same, and nothing else: the key is random for each app, and never shown. */
export function fingerprintOf(key: string, value: string): string {
  return createHmac('sha256', key).update(value).digest('hex').slice(0, 12);
}

/** What stands between the values of a text, first without those that a URL or a path has itself. */
const SEPARATORS = [/[\s"'`]+/, /[\s"'`,;()[\]{}<>]+/, /[\s"'`,;()[\]{}<>=:@/&?|\\]+/] as const;

/**
 * A text of which nobody knows what it quotes, without the secrets of the app. Their values are known to nobody here, so
 * each word of the text, and each line, is compared by fingerprint. (R19)
 */
export function withoutSecrets(
  { secrets, fingerprintKey }: Pick<AppRecord, 'secrets' | 'fingerprintKey'>,
  text: string,
) {
  const known = new Set(Object.values(secrets).map(({ fingerprint }) => fingerprint));
  if (known.size === 0 || fingerprintKey === undefined) return text;
  const words = text.split(/\r?\n/).flatMap((line) => [line, ...SEPARATORS.flatMap((pattern) => line.split(pattern))]);
  const candidates = new Set(words.flatMap((word) => [word, word.trim(), word.replace(/[.,;:!?]+$/, '')]));
  candidates.delete('');
  const found = [...candidates].filter((word) => known.has(fingerprintOf(fingerprintKey, word)));
  return found.sort((a, b) => b.length - a.length).reduce((rest, word) => rest.replaceAll(word, '***'), text);
}
