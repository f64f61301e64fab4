import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { CLUSTER_FLAGS, type Cluster, openCluster } from './client.ts';

/** The flags that choose clusters: one, or a fleet. */
export const FLEET_FLAGS = {
  ...CLUSTER_FLAGS,
  kubeconfigDir: { value: 'DIR', summary: 'with --live: every kubeconfig in this folder is a cluster' },
  contexts: { value: 'NAMES', repeat: true, summary: 'with --live: these contexts, by comma, or given several times' },
} as const;

/** Of each entry at most one flag may be given. */
export const FLEET_ONE_OF = [{ flags: ['kubeconfig', 'kubeconfigDir'] }, { flags: ['context', 'contexts'] }] as const;

export interface FleetFlags {
  readonly kubeconfig?: string | undefined;
  readonly kubeconfigDir?: string | undefined;
  readonly context?: string | undefined;
  readonly contexts: readonly string[];
  readonly requestTimeout: string;
}

/** One cluster of a fleet; its kubeconfig is read when it is opened, so that a broken one leaves the others. */
export interface FleetMember {
  readonly label: string;
  readonly open: () => Promise<Cluster>;
}

/** Each kubeconfig by each context, or by its current one. @throws AppError when the folder has none */
export function fleetOf(flags: FleetFlags, io: Io): FleetMember[] {
  const files = flags.kubeconfigDir === undefined ? [flags.kubeconfig] : filesIn(flags.kubeconfigDir, io);
  const named = flags.contexts.flatMap((list) => list.split(',')).map((name) => name.trim());
  const contexts = named.length > 0 ? [...new Set(named)].filter((name) => name !== '') : [flags.context];
  return files.flatMap((kubeconfig) => {
    const file = flags.kubeconfigDir === undefined || kubeconfig === undefined ? [] : [basename(kubeconfig)];
    return contexts.map((context) => ({
      label: [...file, ...(context === undefined ? [] : [context])].join('/'),
      open: () => openCluster({ kubeconfig, context, requestTimeout: flags.requestTimeout }, io),
    }));
  });
}

/** Hidden files, folders and what is for people to read are no kubeconfigs. */
function filesIn(folder: string, { cwd }: Io): string[] {
  try {
    const files = readdirSync(resolve(cwd, folder), { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !/^\.|\.md$|^readme/i.test(entry.name))
      .map(({ name }) => join(folder, name))
      .sort();
    if (files.length > 0) return files;
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such folder' : (cause as Error).message;
    throw new AppError('NOT_FOUND', `cannot read the folder ${folder}: ${reason}`, {}, { cause });
  }
  throw new AppError('NOT_FOUND', `the folder ${folder} has no kubeconfig in it`);
}
