import type { AppRecord, AppSpec, Attempt, ReleaseSettings } from '../../lib/apps/model.ts';

/** When everything in these records happened, unless a test says otherwise. */
export const THEN = Date.parse('2026-01-01T00:00:00Z');

export const SETTINGS: ReleaseSettings = {
  port: 8080,
  env: { COLOUR: 'red' },
  memoryMb: 512,
  timeoutSeconds: 30,
  runtime: 'nodejs24.x',
  handler: 'index.handler',
  architecture: 'arm64',
};

export function appSpec(change: Partial<AppSpec> = {}): AppSpec {
  return {
    ...SETTINGS,
    image: 'artifact:one',
    domains: [],
    labels: {},
    strategy: 'blue-green',
    replicas: 1,
    ...change,
  };
}

export function attempt(change: Partial<Attempt> = {}): Attempt {
  return {
    id: 'dep_AAAAAQAAAAAA',
    number: 1,
    source: 'image',
    status: 'queued',
    steps: [],
    image: 'artifact:one',
    settings: SETTINGS,
    generation: 1,
    queuedAt: THEN,
    ...change,
  };
}

export function appRecord(change: Partial<AppRecord> = {}): AppRecord {
  return {
    name: 'shop',
    appId: 'app_abcdefghijkl',
    version: 3,
    writeId: 'w',
    generation: 1,
    createdAt: THEN,
    updatedAt: THEN,
    spec: appSpec(),
    suspended: false,
    secrets: {},
    nextAttempt: 2,
    lastRelease: 0,
    conditions: [],
    ...change,
  };
}
