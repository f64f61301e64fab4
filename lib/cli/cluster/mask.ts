const URLS = /https?:\/\/[^\s"'`\\<>]+/g;
const PATHS = /\/convert\/[^\s"'`\\<>]+/g;
const DNS_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/**
 * The address of a webhook without the token in its path. Of Roundhouse's layout, `/convert/{endpoint}/{token}/{target}`,
 * the rest is shown; any part of another one may be a secret.
 */
export function maskUrl(url: string): string {
  if (url === '') return url;
  return URL.canParse(url) ? `${new URL(url).origin}${maskPath(new URL(url).pathname)}` : '***';
}

/** A text of somebody else, who may repeat such an address in it. */
export function maskUrls(text: string): string {
  return text.replace(URLS, maskUrl).replace(PATHS, maskPath);
}

function maskPath(path: string): string {
  const segments = path.split('/').slice(1);
  const [root, endpoint = '', , target = ''] = segments.slice(-4);
  if (root !== 'convert' || !DNS_NAME.test(endpoint) || !DNS_NAME.test(target)) return path === '/' ? path : '/***';
  return `${segments.length > 4 ? '/***' : ''}/convert/${endpoint}/***/${target}`;
}
