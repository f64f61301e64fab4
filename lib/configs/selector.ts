import type { Json } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { type LabelSelector, type ParsedSelector, parseLabelSelector, parseSelectorText } from '../k8s/labels.ts';
import type { LabelSelector as Stored } from './types.ts';

export type Labels = Readonly<Record<string, string>>;

/**
 * How the label index answers a selector. With `key`: read the entries of these values and filter the rest.
 * `everything`: no term of the selector names a value (only `NotIn`, `Exists`, `DoesNotExist`), so the index of all
 * configs is read and filtered.
 */
export type IndexPlan = { readonly everything: true } | { readonly key: string; readonly values: readonly string[] };

/** The cheapest read that finds every match: the term that names the fewest values. */
export function planIndex(selector: LabelSelector): IndexPlan {
  const terms = selector.filter(({ operator }) => operator === 'In');
  const [best] = terms.sort((a, b) => a.values.length - b.values.length);
  return best === undefined ? { everything: true } : best;
}

/** The selector text of a query. @throws AppError BAD_REQUEST with every malformed term */
export function selectorOfText(text: string | undefined): LabelSelector {
  return selectorOf(text === undefined ? { selector: [] } : parseSelectorText(text), 'labelSelector');
}

/** A stored selector, which was checked before it was stored. */
export function storedSelector(value: Stored | undefined): LabelSelector {
  return selectorOf(value === undefined ? { selector: [] } : parseLabelSelector(value as Json), 'cacheSelector');
}

function selectorOf({ selector, problems }: ParsedSelector, what: string): LabelSelector {
  if (selector !== undefined) return selector;
  const texts = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new AppError('BAD_REQUEST', `${what}: ${texts.join('; ')}`);
}
