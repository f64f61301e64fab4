import type { Agent, RequestOptions } from 'node:https';
import { AppError } from '../../errors.ts';
import type { Kubeconfig } from './kubeconfig.ts';

/** Certificates, tokens, plugins and proxies are the library's; it makes agents that keep no connection. */
export async function authorise({ config }: Kubeconfig, options: RequestOptions): Promise<void> {
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    const reason = config.getCurrentUser()?.exec ? pluginFault(cause) : (cause as Error).message.trim().split('\n')[0];
    throw new AppError('UNAUTHORIZED', `the credentials of the kubeconfig cannot be had: ${reason}`);
  }
  if (options.agent) Object.assign(options.agent as Agent, { keepAlive: true });
}

/** What a credential plugin printed is not told, nor kept as a cause: it may be a token. */
function pluginFault(cause: unknown): string {
  const { code, name } = cause as NodeJS.ErrnoException;
  if (code !== undefined) return `its credential plugin cannot be started (${code})`;
  const printed = name === 'SyntaxError' || name === 'TypeError';
  return `its credential plugin ${printed ? 'printed no ExecCredential' : 'failed'}: run it by hand to see what it prints`;
}
