import { AppError } from '../../errors.ts';
import type { Io } from '../io.ts';
import type { ClientOptions } from '../remote/client.ts';
import { codeOf, noAnswer } from '../remote/failures.ts';
import { type HttpAnswer, type HttpRequest, sendRequest } from '../remote/http.ts';
import type { Artifact } from './shapes.ts';

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
/** Beyond the time of any request: even a slow line carries a package. */
const SLOWEST_BYTES_PER_MS = 64;
const PASSING_CODES = /^(ECONNRESET|EPIPE|EAI_AGAIN|TIMEOUT)$/;
/** Names of headers that a storage may ask for; none of them says who we are. */
const HEADER = /^(content-[a-z0-9-]+|x-amz-[a-z0-9-]+|if-none-match|if-match)$/i;

/**
 * Puts a package to where the API said. It is another address, so the token does not go there; what may is in the URL,
 * which therefore is in no message.
 * @param onSent hears how many bytes are on their way
 * @throws AppError
 */
export async function upload(
  { upload: { url: given, headers: asked = {} } }: Artifact,
  body: Uint8Array,
  { access, timeoutMs, env, send = sendRequest }: ClientOptions,
  { wait }: Pick<Io, 'wait'>,
  onSent: (bytes: number) => void,
): Promise<void> {
  const url = storageUrl(given, access.server);
  const headers = Object.fromEntries(Object.entries(asked).filter(([name]) => HEADER.test(name)));
  const request: HttpRequest = {
    method: 'PUT',
    url,
    headers: { ...headers, 'content-length': String(body.length) },
    body,
    onSent,
    // The CA of a Roundhouse on this machine is that of its storage too.
    ...(access.ca !== undefined && url.hostname === new URL(access.server).hostname && { ca: access.ca }),
    timeoutMs: timeoutMs + body.length / SLOWEST_BYTES_PER_MS,
    env,
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await send(request);
      if (answer.status >= 200 && answer.status < 300) return;
      if (answer.status < 500 || attempt === ATTEMPTS) throw refused(answer, url);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (!PASSING_CODES.test(codeOf(error)) || attempt === ATTEMPTS) {
        throw noAnswer(error, { ...access, server: url.origin }, { timeoutMs: request.timeoutMs, env });
      }
    }
    await wait(FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}

/** In development it is a path of the API's own address. @throws AppError for what would cross the network unsealed */
function storageUrl(given: string, server: string): URL {
  const url = URL.canParse(given, server) ? new URL(given, server) : undefined;
  const isLocal = url?.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url !== undefined && (url.protocol === 'https:' || isLocal)) return url;
  throw new AppError('UNAVAILABLE', `${server} names an address for the package that is not https: nothing was sent`);
}

/** S3 says why in XML. */
function refused({ status, text }: HttpAnswer, url: URL): AppError {
  const [, code] = /<Code>(\w{1,60})<\/Code>/.exec(text) ?? [];
  const hint = status === 403 ? 'The permission to upload ends after some minutes: deploy again' : 'Deploy again';
  const said = code === undefined ? '' : ` ${code}`;
  return new AppError('UNAVAILABLE', `${url.origin} does not take the package (HTTP ${status}${said}). ${hint}`);
}
