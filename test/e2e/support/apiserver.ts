import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringifyJson } from '../../../lib/k8s/json.ts';
import { send } from '../../support/http-client.ts';
import { install } from '../tools/install.ts';
import { ETCD, KUBE_APISERVER, KUBECTL } from '../tools/tools.ts';
import { createKubeClient, type KubeClient } from './kube-client.ts';
import { freePort, waitFor } from './wait.ts';
import type { Finished, Workbench } from './workbench.ts';

/** 3 s on an idle machine. */
const START_MS = 120_000;

export const APISERVER_TOOLS = [ETCD, KUBE_APISERVER, KUBECTL];

export interface Apiserver extends KubeClient {
  readonly kubectl: (args: readonly string[], input?: string) => Promise<Finished>;
  /** Ends it and starts it again on what etcd keeps; resolves when it is ready. */
  readonly restart: () => Promise<void>;
  readonly output: () => string;
}

/** etcd and a kube-apiserver on free ports, without controllers: nothing collects garbage or makes service accounts. */
export async function startApiserver(workbench: Workbench): Promise<Apiserver> {
  const [etcd, program, kubectl] = await Promise.all([
    install(workbench, ETCD),
    install(workbench, KUBE_APISERVER),
    install(workbench, KUBECTL),
  ]);
  const folder = workbench.folder('roundhouse-e2e-apiserver-');
  const database = await startEtcd(workbench, etcd, join(folder, 'etcd'));
  const token = randomBytes(16).toString('hex');
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const command = [program, ...serverFlags(folder, { database, token, port })];
  const caFile = join(folder, 'apiserver.crt');
  const start = async () => {
    const started = workbench.start(command);
    await waitFor('kube-apiserver', started, () => isOk(`${url}/readyz`, caFile), START_MS);
    return started;
  };
  let running = await start();
  const kubeconfig = writeKubeconfig(folder, { url, token, caFile });
  return {
    ...createKubeClient({ url, token, ca: readFileSync(caFile, 'utf8') }),
    kubectl: (args, input) =>
      workbench.run([kubectl, `--kubeconfig=${kubeconfig}`, ...args], {
        env: { PATH: process.env['PATH'], HOME: folder },
        ...(input !== undefined && { input }),
      }),
    restart: async () => {
      process.kill(running.pid, 'SIGTERM');
      await running.ended;
      running = await start();
    },
    output: () => running.output(),
  };
}

async function startEtcd(workbench: Workbench, program: string, data: string): Promise<string> {
  const [clients, peers] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const addresses = [`--listen-client-urls=${clients}`, `--advertise-client-urls=${clients}`];
  const peer = [`--listen-peer-urls=${peers}`, `--initial-advertise-peer-urls=${peers}`];
  // What is lost when the machine fails is thrown away anyway.
  const flags = [...addresses, ...peer, `--initial-cluster=default=${peers}`, '--unsafe-no-fsync'];
  const running = workbench.start([program, `--data-dir=${data}`, ...flags]);
  await waitFor('etcd', running, () => isOk(`${clients}/health`));
  return clients;
}

function serverFlags(
  folder: string,
  { database, token, port }: { readonly database: string; readonly token: string; readonly port: number },
): string[] {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keyFile = join(folder, 'service-accounts.key');
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const tokenFile = join(folder, 'tokens.csv');
  writeFileSync(tokenFile, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  return [
    `--etcd-servers=${database}`,
    // It makes its certificate here.
    `--cert-dir=${folder}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--service-account-issuer=https://localhost',
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    `--token-auth-file=${tokenFile}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--service-cluster-ip-range=10.0.0.0/24',
  ];
}

/** The file with the CA is there once the server has made it. */
async function isOk(url: string, caFile?: string): Promise<true | undefined> {
  try {
    const ca = caFile && readFileSync(caFile, 'utf8');
    return (await send(url, { method: 'GET', ...(ca && { ca }) })).status === 200 || undefined;
  } catch {
    return undefined;
  }
}

/** kubectl reads JSON as the YAML that it is. */
function writeKubeconfig(
  folder: string,
  { url, token, caFile }: { readonly url: string; readonly token: string; readonly caFile: string },
): string {
  const file = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'e2e', cluster: { server: url, 'certificate-authority': caFile } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'admin', namespace: 'default' } }],
    'current-context': 'e2e',
  };
  writeFileSync(file, stringifyJson(config), { mode: 0o600 });
  return file;
}
