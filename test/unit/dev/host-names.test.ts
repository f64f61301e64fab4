import { describe, expect, test } from 'vitest';
import { isLoopback, parseHostName, renderHost } from '../../../lib/dev/host-names.ts';

describe('--host', () => {
  test.each([
    ['host.docker.internal', 'host.docker.internal'],
    ['Laptop.Example.COM', 'laptop.example.com'],
    ['laptop', 'laptop'],
    ['3com.example', '3com.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    ['172.18.0.1', '172.18.0.1'],
    ['FD00:0:0::0001', 'fd00::1'],
    ['[fd00::1]', 'fd00::1'],
    ['localhost', 'localhost'],
    ['::1', '::1'],
  ])('%s is the name %s', (text, expected) => {
    expect(parseHostName(text)).toBe(expected);
  });

  test.each([
    '',
    ' ',
    'https://laptop',
    'laptop:8787',
    'laptop/path',
    'user@laptop',
    '*.example.com',
    'a_b',
    '-a.example',
    'a-.example',
    'a..example',
    'laptop.',
    'bücher.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}aa`,
    'fe80::1%eth0',
    '172.18.0.0/16',
    '300.1.1.1',
    '127.1',
    '0x7f.0.0.1',
    '1',
  ])('"%s" is refused with what it takes', (text) => {
    expect(() => parseHostName(text)).toThrow(/^--host takes a DNS name or an IP address, .* not "/);
  });

  test.each(['0.0.0.0', '::', '0::0'])('%s, which nobody can call, is refused with what is wanted', (text) => {
    expect(() => parseHostName(text)).toThrow(
      /listens on all of them\. Give the name or address by which clusters reach/,
    );
  });
});

test.each([
  ['localhost', true],
  ['a.localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['localhost.example', false],
  ['127.example', false],
  ['172.18.0.1', false],
  ['fd00::1', false],
  ['host.docker.internal', false],
])('whether %s is this machine only: %s', (name, expected) => {
  expect(isLoopback(name)).toBe(expected);
});

test.each([
  ['fd00::1', '[fd00::1]'],
  ['172.18.0.1', '172.18.0.1'],
  ['laptop', 'laptop'],
])('%s is %s in a URL', (name, expected) => {
  expect(renderHost(name)).toBe(expected);
});
