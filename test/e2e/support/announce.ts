import { canRun } from '../tools/install.ts';
import { EMULATOR, ETCD, KUBE_APISERVER, KUBECTL, MOTO, RUNTIME_CLIENT } from '../tools/tools.ts';

const PARTS = {
  apiserver: [ETCD, KUBE_APISERVER, KUBECTL],
  lambda: [EMULATOR, RUNTIME_CLIENT],
  aws: [MOTO],
};

/** Before all files, in the process that starts them: says once which parts are skipped, not once in each file. */
export function setup(): void {
  if (process.env['CI']) return;
  for (const [part, tools] of Object.entries(PARTS)) canRun(part, tools);
  process.env['ROUNDHOUSE_E2E_ANNOUNCED'] = 'yes';
}
