import { describe, expect, test, vi } from 'vitest';
import type { CertificateFacts } from '../../../lib/apps/ports.ts';
import { certificateStatus, listCertificates } from '../../../lib/system/certificates.ts';

const WINDOW = 336 * 3_600_000;
const NOW = Date.parse('2026-01-01T00:00:00Z');

const facts = (domain: string, more: Partial<CertificateFacts> = {}): CertificateFacts => ({
  arn: `arn:${domain}`,
  domain,
  sans: [],
  notBefore: NOW,
  notAfter: NOW + 2 * WINDOW,
  ...more,
});

function list(claimed: readonly string[], found: readonly CertificateFacts[]) {
  const certificates = { list: vi.fn(async () => found) };
  const clock = { now: () => NOW };
  return {
    certificates,
    views: listCertificates({ certificates, claimed: async () => claimed, clock, warningMs: WINDOW }),
  };
}

describe('the status of a certificate', () => {
  test.each([
    [-1, 'expired'],
    [0, 'expired'],
    [1, 'expiring_soon'],
    [WINDOW - 1, 'expiring_soon'],
    [WINDOW, 'healthy'],
  ])('that ends in %i ms', (ms, status) => {
    expect(certificateStatus(NOW + ms, NOW, WINDOW)).toBe(status);
  });
});

describe('certificates', () => {
  test('of claimed domains are listed by domain, with those of wildcards and other names', async () => {
    const { views } = list(
      ['shop.example.com', '*.b.example.com', 'c.example.com'],
      [
        facts('shop.example.com', { issuer: 'Amazon' }),
        facts('*.b.example.com', { notAfter: NOW }),
        facts('a.example.org', { sans: ['a.example.org', 'c.example.com'] }),
        facts('other.example.net'),
        facts('*.deep.shop.example.com'),
      ],
    );
    expect(await views).toEqual([
      expect.objectContaining({ domain: '*.b.example.com', status: 'expired' }),
      expect.objectContaining({ domain: 'a.example.org', sans: ['a.example.org', 'c.example.com'] }),
      {
        domain: 'shop.example.com',
        issuer: 'Amazon',
        not_before: '2026-01-01T00:00:00.000Z',
        not_after: '2026-01-29T00:00:00.000Z',
        status: 'healthy',
      },
    ]);
  });

  test('cover one label by a wildcard, and not two', async () => {
    expect(await list(['a.example.com'], [facts('*.example.com')]).views).toHaveLength(1);
    expect(await list(['a.b.example.com'], [facts('*.example.com')]).views).toHaveLength(0);
    expect(await list(['example.com'], [facts('*.example.com')]).views).toHaveLength(0);
  });

  test('that are not issued yet are left out', async () => {
    const { notAfter: _, ...pending } = facts('a.example.com');
    expect(await list(['a.example.com'], [pending]).views).toEqual([]);
  });

  test('are not asked for when no domain is claimed', async () => {
    const { certificates, views } = list([], []);
    expect(await views).toEqual([]);
    expect(certificates.list).not.toHaveBeenCalled();
  });
});
