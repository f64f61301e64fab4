/** Answers people, but says on its health path that it should not get any: a deploy of it fails and changes nothing. */
export async function handler({ rawPath }) {
  if (rawPath !== '/healthz')
    return { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: 'new and broken\n' };
  console.error('the database cannot be reached');
  return { statusCode: 503, headers: { 'content-type': 'text/plain' }, body: 'the database cannot be reached\n' };
}
