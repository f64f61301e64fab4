import { readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { KubeConfig, User } from '@kubernetes/client-node';
import { getOwn, isArray, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { parseYaml } from '../../k8s/yaml.ts';
import { YamlError } from '../../k8s/yaml-error.ts';
import type { Io } from '../io.ts';

/** A kubeconfig with one context chosen, and what the library leaves out of its user. */
export interface Kubeconfig {
  readonly config: KubeConfig;
  readonly context: string;
  readonly server: string;
  /** Of the context; `default` when it names none. */
  readonly namespace: string;
  /** Impersonation beyond the user's name: the library would drop it and act with more rights than was asked for. */
  readonly headers: Readonly<Record<string, string | string[]>>;
}

interface Choice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/**
 * Resolves a kubeconfig as kubectl does: the given file; else the files of `KUBECONFIG`, of which the first that names
 * something wins and those that are not there are skipped; else `~/.kube/config`; else the service account of a pod.
 * @throws AppError naming the file and what is wrong in it, or the contexts that there are
 */
export async function loadKubeconfig({ kubeconfig, context }: Choice, io: Io): Promise<Kubeconfig> {
  const { KubeConfig: Library } = await import('@kubernetes/client-node');
  const config = new Library();
  const files = filesOf(kubeconfig, io);
  if (files.length === 0) loadInCluster(config, io);
  else config.loadFromOptions(mergeFiles(files, () => new Library()));
  const raw = files.flatMap(({ users }) => users);
  const chosen = chooseContext(config, context, files);
  return { ...chosen, config, headers: impersonation(raw, config.getContextObject(chosen.context)?.user) };
}

interface File {
  readonly path: string;
  readonly text: string;
  readonly users: readonly JsonObject[];
}

function filesOf(given: string | undefined, { env, cwd }: Io): File[] {
  if (given !== undefined) return [readFile(resolve(cwd, given), given)];
  const listed = env['KUBECONFIG']?.split(delimiter).filter((path) => path !== '') ?? [];
  const home = env['HOME'] ?? env['USERPROFILE'];
  const paths = listed.length > 0 ? listed : home === undefined ? [] : [join(home, '.kube/config')];
  const found = paths.filter((path) => statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isFile());
  if (listed.length > 0 && found.length === 0) {
    throw new AppError('NOT_FOUND', `KUBECONFIG names no file that is there: ${listed.join(delimiter)}`);
  }
  return found.map((path) => readFile(resolve(cwd, path), path));
}

function readFile(path: string, name: string): File {
  try {
    const text = readFileSync(path, 'utf8');
    const value = parseYaml(text)[0]?.value ?? {};
    if (!isObject(value)) throw new AppError('BAD_REQUEST', `the kubeconfig ${name} is no kubeconfig`);
    const users = getOwn(value, 'users') ?? [];
    return { path, text, users: isArray(users) ? users.filter(isObject) : [] };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const line = cause instanceof YamlError && cause.line !== undefined ? `, line ${cause.line}` : '';
    const reason = code === 'ENOENT' ? 'there is no such file' : (cause as Error).message;
    throw new AppError('NOT_FOUND', `cannot read the kubeconfig ${name}${line}: ${reason}`, {}, { cause });
  }
}

function mergeFiles(files: readonly File[], create: () => KubeConfig) {
  const merged = files.map((file) => loadFile(file, create()));
  const firsts = <T extends { readonly name: string }>(lists: readonly (readonly T[])[]) =>
    lists.flat().filter(({ name }, index, all) => all.findIndex((other) => other.name === name) === index);
  return {
    clusters: firsts(merged.map(({ clusters }) => clusters)),
    users: firsts(merged.map(({ users }) => users)),
    contexts: firsts(merged.map(({ contexts }) => contexts)),
    currentContext: merged.map(({ currentContext }) => currentContext).find((name) => name) ?? '',
  };
}

function loadFile({ path, text, users }: File, config: KubeConfig): KubeConfig {
  try {
    if (text.trim() !== '') config.loadFromString(text);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', `cannot use the kubeconfig ${path}: ${(cause as Error).message}`, {}, { cause });
  }
  config.makePathsAbsolute(dirname(path));
  // The library refuses http:// without this flag, and knows `tokenFile` only under another name.
  const clusters = config.clusters.map((each) =>
    each.server.startsWith('http:') ? { ...each, skipTLSVerify: true } : each,
  );
  const withTokens = config.users.map((given) => {
    const user = given.exec ? { ...given, exec: pluginOf(given.exec, dirname(path)) } : given;
    const tokenFile = userField(users, user.name, 'tokenFile');
    if (typeof tokenFile !== 'string' || user.token) return user;
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: resolve(dirname(path), tokenFile) } } };
  });
  config.loadFromOptions({ ...config, clusters, users: withTokens });
  return config;
}

/** As kubectl starts it: a command with a slash is beside the kubeconfig, others are of the PATH. */
function pluginOf(exec: NonNullable<User['exec']>, folder: string): User['exec'] {
  const { command = '', apiVersion = 'client.authentication.k8s.io/v1', env } = exec;
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  return {
    ...exec,
    command: /[\\/]/.test(command) ? resolve(folder, command) : command,
    env: [...(env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: info }],
  };
}

function loadInCluster(config: KubeConfig, { env }: Io): void {
  if (env['KUBERNETES_SERVICE_HOST'] === undefined) {
    throw new AppError(
      'NOT_FOUND',
      'there is no kubeconfig: no --kubeconfig, no KUBECONFIG, no ~/.kube/config, and this is no pod',
    );
  }
  config.loadFromCluster();
}

function chooseContext(config: KubeConfig, wanted: string | undefined, files: readonly File[]) {
  const context = wanted ?? config.currentContext;
  const names = config.contexts.map(({ name }) => name);
  const where = files.map(({ path }) => path).join(delimiter) || 'the service account';
  const known = names.length === 0 ? 'it has none' : `it has: ${names.join(', ')}`;
  if (!context) throw new AppError('BAD_REQUEST', `${where} has no current context; name one with --context; ${known}`);
  const found = config.contexts.find(({ name }) => name === context);
  if (found === undefined) {
    throw new AppError('NOT_FOUND', `there is no context ${context} in ${where}; ${known}`);
  }
  const cluster = config.clusters.find(({ name }) => name === found.cluster);
  if (cluster === undefined) {
    throw new AppError('NOT_FOUND', `context ${context} is of a cluster ${found.cluster} that ${where} does not have`);
  }
  // The library takes no CA for a context without a user.
  if (found.user === undefined) Object.assign(found, { user: '' });
  if (config.getUser(found.user) === null) config.addUser({ name: found.user });
  config.setCurrentContext(context);
  return { context, server: cluster.server, namespace: found.namespace ?? 'default' };
}

function impersonation(users: readonly JsonObject[], name: string | undefined): Record<string, string | string[]> {
  const groups = userField(users, name, 'as-groups');
  const uid = userField(users, name, 'as-uid');
  return {
    ...(isArray(groups) && { 'impersonate-group': groups.map(String) }),
    ...(typeof uid === 'string' && { 'impersonate-uid': uid }),
  };
}

function userField(users: readonly JsonObject[], name: string | undefined, field: string): Json | undefined {
  const user = users.find((candidate) => getOwn(candidate, 'name') === name);
  const fields = user && getOwn(user, 'user');
  return isObject(fields) ? getOwn(fields, field) : undefined;
}
