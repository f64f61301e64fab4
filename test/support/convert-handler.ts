import { type ConvertOptions, createConvertHandler } from '../../lib/http/convert.ts';
import { createFakeRegistries, createFakeRegistry } from './fake-registry.ts';
import { createMemoryLog } from './memory-log.ts';

/** The handler of `convert`, with fakes for what a test does not say: no config, and a clock that stands still. */
export function createTestConvert(options: Partial<ConvertOptions> = {}) {
  return createConvertHandler({
    registries: createFakeRegistries(createFakeRegistry([])),
    development: false,
    deadlineMs: 10_000,
    now: () => 0,
    newId: () => 'ref-1',
    log: createMemoryLog(),
    telemetry: { review: () => {}, registry: () => {} },
    ...options,
  });
}

/** Registries without a config, whose endpoints are read as the test says. */
export function readyBy(ready: () => Promise<void>) {
  return { ...createFakeRegistries(createFakeRegistry([])), ready };
}
