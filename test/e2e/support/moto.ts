import { join } from 'node:path';
import { install } from '../tools/install.ts';
import { MOTO } from '../tools/tools.ts';
import { freePort, waitFor } from './wait.ts';
import type { Workbench } from './workbench.ts';

const SCRIPTS = join(import.meta.dirname, '../moto');
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'e2e', AWS_SECRET_ACCESS_KEY: 'e2e', AWS_REGION: 'us-east-1' };

/** Service, operation and parameters as boto3 has them: `['logs', 'describe_log_groups', {}]`. */
export type Call = readonly [service: string, operation: string, parameters?: object];

export interface Moto {
  readonly url: string;
  /** Of clients that talk to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The answers of AWS APIs, with all of their pages. */
  readonly ask: (...calls: readonly Call[]) => Promise<any[]>;
  /** What it has printed; undefined when it is another's, which `AWS_ENDPOINT_URL` named. */
  readonly output: () => string | undefined;
}

/** Starts moto, or takes the emulator that `AWS_ENDPOINT_URL` names; nothing is reset in that one. */
export async function startMoto(workbench: Workbench): Promise<Moto> {
  const python = await install(workbench, MOTO);
  const { url, output } = await openEndpoint(workbench, python);
  const environment = { ...CREDENTIALS, AWS_DEFAULT_REGION: CREDENTIALS.AWS_REGION, AWS_ENDPOINT_URL: url };
  return {
    url,
    environment,
    output,
    async ask(...calls) {
      const request = JSON.stringify(
        calls.map(([service, operation, parameters = {}]) => [service, operation, parameters]),
      );
      const env = { PATH: process.env['PATH'], ...environment };
      const finished = await workbench.run([python, join(SCRIPTS, 'ask.py'), request], { env });
      if (finished.code !== 0) throw new Error(`${request}\n${finished.output}`);
      return JSON.parse(finished.output);
    },
  };
}

async function openEndpoint(workbench: Workbench, python: string) {
  const { AWS_ENDPOINT_URL: existing } = process.env;
  if (existing) return { url: existing, output: () => undefined };
  const port = await freePort();
  const running = workbench.start([python, join(SCRIPTS, 'server.py'), '-H', '127.0.0.1', '-p', String(port)], {
    env: { PATH: process.env['PATH'] },
  });
  // The name, not the address: it decides how CloudFormation reads the URL of a template in S3.
  const url = `http://localhost:${port}`;
  const body = JSON.stringify({ lambda: { use_docker: false }, batch: { use_docker: false } });
  await waitFor('moto', running, () =>
    fetch(`${url}/moto-api/config`, { method: 'POST', body }).then(
      ({ ok }) => (ok ? true : undefined),
      () => undefined,
    ),
  );
  return { url, output: running.output };
}
