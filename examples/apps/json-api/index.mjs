/** A JSON API: what a function URL sends (payload 2.0) comes in, and what it should answer goes out. */
export async function handler({ rawPath, rawQueryString, requestContext }) {
  const route = `${requestContext.http.method} ${rawPath}`;
  if (route === 'GET /healthz') return json(200, { status: 'ok' });
  if (route === 'GET /')
    return json(200, { greeting: greeting('world'), version: process.env.AWS_LAMBDA_FUNCTION_VERSION });
  if (route === 'GET /hello') {
    const name = new URLSearchParams(rawQueryString).get('name') ?? 'world';
    console.log(JSON.stringify({ message: 'greets', name }));
    return json(200, { greeting: greeting(name) });
  }
  return json(404, { error: `there is no ${route}; try GET /hello?name=Ada` });
}

function greeting(name) {
  return `${process.env.GREETING ?? 'Hello'}, ${name}!`;
}

function json(statusCode, body) {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(body)}\n` };
}
