import { randomUUID } from 'node:crypto';
import { createSyntheticReview } from '../lib/deployment/synthetic.ts';
import { createSyntheticMetrics } from '../lib/telemetry/metrics.ts';
import { loadSyntheticConfig } from './config.ts';

const config = loadSyntheticConfig();

export const handler = createSyntheticReview({
  convertUrl: config.CONVERT_URL,
  fetch: globalThis.fetch,
  now: () => performance.now(),
  newId: randomUUID,
  telemetry: createSyntheticMetrics({ stage: config.STAGE, print: (line) => process.stdout.write(`${line}\n`) }),
});
