import { describe, expect, test } from 'vitest';
import { createDomainCheck, type Dns } from '../../../lib/system/domain-check.ts';
import { createTestClock } from '../../support/test-clock.ts';

type Records = Readonly<Record<string, { readonly a?: string[]; readonly aaaa?: string[]; readonly cname?: string[] }>>;

function createDns(records: Records) {
  const asked: string[] = [];
  const look = (kind: 'a' | 'aaaa' | 'cname') => async (host: string) => {
    asked.push(`${kind} ${host}`);
    const found = records[host]?.[kind];
    if (found === undefined) throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' });
    return found;
  };
  const dns: Dns = { resolve4: look('a'), resolve6: look('aaaa'), resolveCname: look('cname') };
  return { dns, asked };
}

const HOST = { a: ['192.0.2.1'], aaaa: ['2001:db8::1'] };

describe('the check of a domain', () => {
  test.each<[string, Records, string | undefined, object]>([
    [
      'that is an alias of the host',
      { 'a.example.com': { cname: ['HOST.example.net'] }, 'host.example.net': HOST },
      'host.example.net',
      {
        status: 'connected',
        resolved: true,
        resolved_hosts: ['HOST.example.net'],
        expected_ipv4: HOST.a,
        expected_ipv6: HOST.aaaa,
      },
    ],
    [
      'that has an address of the host',
      { 'a.example.com': { a: ['192.0.2.9', '192.0.2.1'] }, 'host.example.net': HOST },
      'host.example.net',
      { status: 'connected' },
    ],
    [
      'that leads elsewhere',
      { 'a.example.com': { a: ['192.0.2.9'] }, 'host.example.net': HOST },
      'host.example.net',
      { status: 'resolves_elsewhere', resolved: true, resolved_hosts: ['192.0.2.9'] },
    ],
    [
      'that has no record',
      { 'host.example.net': HOST },
      'host.example.net',
      { status: 'not_resolving', resolved: false },
    ],
    [
      'while nobody knows where it should lead',
      { 'a.example.com': HOST },
      undefined,
      { status: 'unconfigured', resolved: true },
    ],
  ])('%s', async (_what, records, host, expected) => {
    const { dns } = createDns(records);
    const check = createDomainCheck({ dns, clock: createTestClock() });
    const result = await check('a.example.com', { host, inferred: false });
    expect(result).toMatchObject({ domain: 'a.example.com', routing: 'none', ...expected });
    expect('expected_host' in result).toBe(host !== undefined);
    expect('host_inferred' in result).toBe(false);
  });

  test('says when the host was guessed from the request', async () => {
    const check = createDomainCheck({ dns: createDns({}).dns, clock: createTestClock() });
    expect(await check('a.example.com', { host: 'api.example.net', inferred: true })).toMatchObject({
      expected_host: 'api.example.net',
      host_inferred: true,
    });
  });

  test('looks a wildcard up by a name below it', async () => {
    const { dns, asked } = createDns({ 'roundhouse-check.example.com': { a: ['192.0.2.1'] } });
    const check = createDomainCheck({ dns, clock: createTestClock() });
    expect(await check('*.example.com', { host: undefined, inferred: false })).toMatchObject({ resolved: true });
    expect(asked).toContain('a roundhouse-check.example.com');
  });

  test('keeps a result for five seconds', async () => {
    const { dns, asked } = createDns({});
    const clock = createTestClock();
    const check = createDomainCheck({ dns, clock });
    const ask = () => check('a.example.com', { host: undefined, inferred: false });
    await ask();
    await clock.advance(4_999);
    await ask();
    expect(asked).toHaveLength(3);
    await clock.advance(1);
    await ask();
    expect(asked).toHaveLength(6);
  });
});
