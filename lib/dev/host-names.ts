import { isIP } from 'node:net';

/** What a certificate of development always covers. */
export const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1'];

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
const UNSPECIFIED: readonly string[] = ['0.0.0.0', '::'];

/**
 * A DNS name in lower case or an IP address in its shortest form, as a certificate has it: IPv6 without brackets.
 * Throws an `Error` that says what `--host` takes.
 */
export function parseHostName(text: string): string {
  const url = `https://${isIP(text) === 6 ? `[${text}]` : text}`;
  // The parser of URLs, which Kubernetes clients read too, has the last word on what is a number and what a name.
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
  if (UNSPECIFIED.includes(host)) {
    const hint = 'Give the name or address by which clusters reach this machine.';
    throw new Error(`--host ${text} is no address that can be called; the server listens on all of them. ${hint}`);
  }
  if (isIP(host) === 6 || (host === text.toLowerCase() && (isIP(host) === 4 || DNS_NAME.test(host)))) return host;
  const hint = 'without scheme, port, path or wildcard, such as host.docker.internal or 172.18.0.1';
  throw new Error(`--host takes a DNS name or an IP address, ${hint}; not "${text}"`);
}

/** Whether only this machine itself is reached by the name. */
export function isLoopback(name: string): boolean {
  const isLocalName = name === 'localhost' || name.endsWith('.localhost');
  return isLocalName || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** The name as the host of a URL. */
export function renderHost(name: string): string {
  return isIP(name) === 6 ? `[${name}]` : name;
}
