import { AppError } from '../errors.ts';
import { type LabelSelector, matchesLabels } from '../k8s/labels.ts';
import { headKey } from '../store/keys.ts';
import type { Page } from '../store/paging.ts';
import { pageOf } from '../store/paging.ts';
import type { Item, Store } from '../store/ports.ts';
import { type IndexEntry, readIndex } from './index-entries.ts';
import { isActive, readHead } from './records.ts';
import { planIndex, selectorOfText } from './selector.ts';
import type { ConfigView, ListQuery } from './types.ts';
import { renderConfig } from './views.ts';

/**
 * Configs sorted by target. `total` counts index entries: after a crash in the middle of an activation it can be one too
 * high, and a page one short, until the next activation of that target.
 */
export async function listConfigs(store: Store, query: ListQuery = {}): Promise<Page<ConfigView>> {
  const selector = selectorOfText(query.labelSelector);
  const entries = await readIndex(store, planIndex(selector));
  const targets = targetsOf(entries.filter(({ labels }) => matchesLabels(selector, labels)));
  const { items, ...page } = pageOf(targets, (target) => target, query);
  const found = await store.getMany(items.map(headKey));
  const views = await Promise.all(found.map((item) => renderItem(store, selector, item)));
  const shown = views.filter((view) => view !== undefined).sort((a, b) => (a.target < b.target ? -1 : 1));
  return { items: shown, ...page };
}

function targetsOf(entries: readonly IndexEntry[]): string[] {
  return [...new Set(entries.map(({ target }) => target))].sort();
}

/** Undefined for what does not belong on the page, and for an item that is damaged: it must not hide the others. */
async function renderItem(store: Store, selector: LabelSelector, item: Item): Promise<ConfigView | undefined> {
  try {
    const head = readHead(item);
    if (!isActive(head) || !matchesLabels(selector, head.record.labels)) return undefined;
    return await renderConfig(store, head);
  } catch (error) {
    if (error instanceof AppError && error.code === 'INTERNAL') return undefined;
    throw error;
  }
}
