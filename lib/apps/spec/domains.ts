import type { Json } from '../../engine/json.ts';
import type { Findings } from './problems.ts';

/** Each is a claim of its own, written one after another. */
const MAX_DOMAINS = 50;
const MAX_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Host names in lower case. */
export function parseDomains(list: readonly Json[], { wrong }: Findings): string[] {
  if (list.length > MAX_DOMAINS) wrong(['domains'], `has ${list.length} entries, at most ${MAX_DOMAINS} are possible`);
  const domains: string[] = [];
  for (const [index, entry] of list.slice(0, MAX_DOMAINS).entries()) {
    const domain = typeof entry === 'string' ? entry.toLowerCase() : '';
    const fault = typeof entry === 'string' ? domainFault(domain) : 'must be a text';
    if (fault !== undefined) wrong(['domains', index], fault);
    else if (domains.includes(domain)) wrong(['domains', index], `is there twice`);
    else domains.push(domain);
  }
  return domains;
}

function domainFault(domain: string): string | undefined {
  const wildcard = domain.startsWith('*.');
  const base = wildcard ? domain.slice(2) : domain;
  if (base.includes('*')) return 'may have a * only as its whole first part: *.example.org';
  const labels = base.split('.');
  if (wildcard && labels.length < 2) return 'must have two or more parts after the *: *.example.org';
  const dns = domain.length <= MAX_LENGTH && labels.every((label) => LABEL.test(label));
  if (dns && labels.length >= 2 && !/^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return 'must be a host name such as shop.example.org: two or more parts of letters, digits and hyphens (IDNs as xn--…)';
}
