import { isArray, type Json, type JsonObject } from '../../engine/json.ts';
import { at } from './definitions.ts';
import { maskUrl } from './mask.ts';

/** What `spec.conversion` of a CRD or XRD says, with what an apiserver fills in, so that two can be compared. */
export interface ConversionBlock {
  readonly strategy: string;
  /** The URL, or the service as one. */
  readonly url: string;
  readonly caBundle: string;
  readonly reviewVersions: readonly string[];
}

export function conversionOf(definition: JsonObject): ConversionBlock {
  const webhook = at(definition, 'spec', 'conversion', 'webhook');
  const client = at(webhook, 'clientConfig');
  const service = at(client, 'service');
  const reviews = at(webhook, 'conversionReviewVersions');
  const port = at(service, 'port') ?? 443;
  const host = `https://${at(service, 'name')}.${at(service, 'namespace')}.svc:${port}`;
  return {
    strategy: text(at(definition, 'spec', 'conversion', 'strategy')) || 'None',
    url: service === undefined ? text(at(client, 'url')) : `${host}${text(at(service, 'path'))}`,
    caBundle: text(at(client, 'caBundle')),
    reviewVersions: isArray(reviews) ? reviews.map(text) : [],
  };
}

/** What differs between two blocks, in words that hold no path token. */
export function blockDifferences(wanted: ConversionBlock, found: ConversionBlock): string[] {
  if (wanted.strategy !== found.strategy) return [`the strategy is ${found.strategy} instead of ${wanted.strategy}`];
  const differences = [];
  if (wanted.url !== found.url) differences.push(`the URL is ${maskUrl(found.url)} instead of ${maskUrl(wanted.url)}`);
  if (wanted.caBundle !== found.caBundle) differences.push('the CA bundle is another one');
  if (wanted.reviewVersions.join() !== found.reviewVersions.join()) {
    const [is, should] = [found.reviewVersions.join(', ') || 'nothing', wanted.reviewVersions.join(', ') || 'nothing'];
    differences.push(`conversionReviewVersions is ${is} instead of ${should}`);
  }
  return differences;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
