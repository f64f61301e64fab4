import type { JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { Cluster } from './client.ts';
import { type Crd, identityOf, objectPath, objectsAsked } from './definitions.ts';
import { statusText } from './errors.ts';

/** How often an object that others change at the same moment is read again. */
const RETRIES = 5;

/**
 * What became of an object that was put unchanged. The server gives it a new resource version exactly when what it
 * would store is another text than what etcd has: what is the same is not written.
 */
export type Outcome =
  | { readonly state: 'rewritten' | 'unchanged' | 'gone' }
  | { readonly state: 'failed'; readonly error: string };

export interface RewriteOptions {
  readonly fieldManager: string;
  readonly dryRun: boolean;
}

/**
 * Puts one object as it is.
 * @param listed as a list gave it
 * @param isWhole whether that was at the storage version, and so can be put
 */
export async function rewrite(
  cluster: Cluster,
  crd: Crd,
  listed: JsonObject,
  { fieldManager, dryRun, isWhole }: RewriteOptions & { readonly isWhole: boolean },
): Promise<Outcome> {
  const { name, namespace } = identityOf(listed);
  const path = objectPath(crd, crd.storage, { namespace, name });
  const query = new URLSearchParams({ fieldManager, ...(dryRun && { dryRun: 'All' }) });
  let current = isWhole ? listed : undefined;
  let refusal = '';
  try {
    for (let tries = 0; tries <= RETRIES; tries++) {
      if (current === undefined) {
        const { status, body } = await cluster.call(objectsAsked(crd, 'get', { namespace, name }), path);
        if (status === 404) return { state: 'gone' };
        if (status !== 200) return { state: 'failed', error: `it cannot be read: ${statusText(status, body)}` };
        current = body;
      }
      const asked = objectsAsked(crd, 'update', { namespace, name });
      const { status, body } = await cluster.call(asked, `${path}?${query}`, { body: current });
      if (status === 200) {
        const isSame = identityOf(body).resourceVersion === identityOf(current).resourceVersion;
        return { state: isSame ? 'unchanged' : 'rewritten' };
      }
      refusal = statusText(status, body);
      // 404 too: an admission webhook may refuse with any code. Only a read, which it has no part in, tells what is gone.
      if (status !== 409 && status !== 404) break;
      current = undefined;
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { state: 'failed', error: error.message.split('\n')[0] ?? '' };
  }
  const busy = refusal.startsWith('409') ? ` (${RETRIES + 1} tries; do others change it all the time?)` : '';
  return { state: 'failed', error: `it cannot be written: ${refusal}${busy}` };
}
