import type { Clock } from '../clock.ts';

/** The part of a DNS resolver that is used. Each rejects with a `code` such as `ENOTFOUND`, and after 4 s at the latest. */
export interface Dns {
  resolve4(host: string): Promise<readonly string[]>;
  resolve6(host: string): Promise<readonly string[]>;
  resolveCname(host: string): Promise<readonly string[]>;
}

export interface DomainCheck {
  readonly domain: string;
  readonly expected_host?: string;
  /** The host is the one that this request came to: nobody has said what it should be. */
  readonly host_inferred?: true;
  readonly resolved: boolean;
  readonly resolved_hosts?: readonly string[];
  readonly status: 'connected' | 'not_resolving' | 'resolves_elsewhere' | 'unconfigured';
  readonly expected_ipv4?: readonly string[];
  readonly expected_ipv6?: readonly string[];
  /** Function URLs take no domain of their own, so nothing routes this one yet. */
  readonly routing: 'none';
}

interface DomainCheckOptions {
  readonly dns: Dns;
  readonly clock: Clock;
}

interface Expected {
  readonly host: string | undefined;
  readonly inferred: boolean;
}

/** A result is kept so long: pages poll it. */
const KEPT_MS = 5_000;
const MAX_KEPT = 500;

export type CheckDomain = (domain: string, expected: Expected) => Promise<DomainCheck>;

/** Compares where a domain leads with where it should. A wildcard is looked up by one name below it. */
export function createDomainCheck({ dns, clock }: DomainCheckOptions): CheckDomain {
  const kept = new Map<string, { readonly at: number; readonly result: Promise<DomainCheck> }>();
  return async (domain, expected) => {
    const key = JSON.stringify([domain, expected]);
    const found = kept.get(key);
    if (found !== undefined && clock.now() - found.at < KEPT_MS) return await found.result;
    if (kept.size >= MAX_KEPT) kept.clear();
    const result = check(dns, domain, expected);
    kept.set(key, { at: clock.now(), result });
    return await result;
  };
}

async function check(dns: Dns, domain: string, { host, inferred }: Expected): Promise<DomainCheck> {
  const name = domain.replace(/^\*\./, 'roundhouse-check.');
  const [actual, expected] = await Promise.all([
    addressesOf(dns, name),
    host === undefined ? NOWHERE : addressesOf(dns, host),
  ]);
  const resolved = actual.ipv4.length + actual.ipv6.length + actual.aliases.length > 0;
  const hosts = [...actual.aliases, ...actual.ipv4, ...actual.ipv6];
  return {
    domain,
    ...(host !== undefined && { expected_host: host }),
    ...(host !== undefined && inferred && { host_inferred: true }),
    resolved,
    ...(resolved && { resolved_hosts: hosts }),
    status: judge(host, resolved, actual, expected),
    ...(expected.ipv4.length > 0 && { expected_ipv4: expected.ipv4 }),
    ...(expected.ipv6.length > 0 && { expected_ipv6: expected.ipv6 }),
    routing: 'none',
  };
}

interface Addresses {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
  readonly aliases: readonly string[];
}

const NOWHERE: Addresses = { ipv4: [], ipv6: [], aliases: [] };

function judge(host: string | undefined, resolved: boolean, actual: Addresses, expected: Addresses) {
  if (host === undefined) return 'unconfigured';
  if (!resolved) return 'not_resolving';
  const wanted = new Set([host.toLowerCase(), ...expected.ipv4, ...expected.ipv6]);
  const leads = [...actual.aliases.map((name) => name.toLowerCase()), ...actual.ipv4, ...actual.ipv6];
  return leads.some((lead) => wanted.has(lead)) ? 'connected' : 'resolves_elsewhere';
}

/** What has no record, or whose server does not answer in time, has no addresses. */
async function addressesOf(dns: Dns, host: string): Promise<Addresses> {
  const none = () => [];
  const [ipv4, ipv6, aliases] = await Promise.all([
    dns.resolve4(host).catch(none),
    dns.resolve6(host).catch(none),
    dns.resolveCname(host).catch(none),
  ]);
  return { ipv4: ipv4.toSorted(), ipv6: ipv6.toSorted(), aliases: aliases.toSorted() };
}
