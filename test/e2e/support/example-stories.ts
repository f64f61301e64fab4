import type { View } from './custom-objects.ts';

/** An object of `examples/` and what happens to it, written by hand at every version. */
export interface Story {
  readonly name: string;
  /** The version of its file. */
  readonly version: string;
  readonly views: Readonly<Record<string, View>>;
  /** Fields of `spec` that a PUT changes. */
  readonly put: Readonly<Record<string, object>>;
  /** Fields of `spec` that a merge patch changes; null takes one away. */
  readonly patch: Readonly<Record<string, object>>;
}

const key = (name: string) => `data.example.org/${name}`;

const ORDERS: Story = {
  name: 'orders',
  version: 'v1beta1',
  views: {
    v1: {
      spec: {
        engine: 'Postgres',
        tier: 'gold',
        replicas: 3,
        cpu: '1500m',
        storage: { sizeGiB: 100 },
        connectTimeout: '1m30s',
        endpoint: { host: 'orders.db.internal', port: 5432 },
        networks: ['blue', 'green'],
        users: [
          { name: 'app', role: 'writer' },
          { name: 'report', role: 'reader' },
        ],
        backup: { schedule: '0 3 * * *', keep: 14 },
        tags: { 'cost-center': '4711' },
      },
      status: { phase: 'Ready' },
    },
    v1beta1: {
      spec: {
        engine: 'postgresql',
        tier: 'gold',
        replicas: '3',
        cpuMillis: 1500,
        storageGB: 100,
        connectTimeoutSeconds: 90,
        address: 'orders.db.internal:5432',
        networks: 'blue,green',
        users: [
          { login: 'app', role: 'writer' },
          { login: 'report', role: 'reader' },
        ],
        backups: [{ schedule: '0 3 * * *', keep: 14 }],
        tags: { costCentre: '4711' },
      },
      status: { phase: 'Ready' },
    },
    v1alpha1: {
      annotations: { [key('replicas')]: '3', [key('tier')]: '"gold"' },
      spec: {
        engine: { name: 'Postgres' },
        storageMiB: 102400,
        settings: { cpu: '1500m', connectTimeout: '1m30s' },
        host: 'orders.db.internal',
        port: 5432,
        networks: ['blue', 'green'],
        users: { app: { role: 'writer' }, report: { role: 'reader' } },
        backupSchedule: '0 3 * * *',
        backupKeep: 14,
        tags: { 'cost-center': '4711' },
        flavor: 'classic',
      },
      status: { phase: 'Ready' },
    },
  },
  put: { v1: { storage: { sizeGiB: 200 } }, v1beta1: { storageGB: 200 }, v1alpha1: { storageMiB: 204800 } },
  patch: {
    v1: { engine: 'MySQL', backup: null },
    v1beta1: { engine: 'mysql', backups: null },
    v1alpha1: { engine: { name: 'MySQL' }, backupSchedule: null, backupKeep: null },
  },
};

const USERS: Story = {
  name: 'users',
  version: 'v1',
  views: {
    v1: {
      spec: {
        engine: 'MySQL',
        tier: 'standard',
        replicas: 2,
        cpu: '500m',
        storage: { sizeGiB: 20 },
        connectTimeout: '30s',
        endpoint: { host: 'users.db.internal', port: 3306 },
        maintenance: { day: 6, hour: 3 },
        networks: ['blue'],
        users: [{ name: 'app', role: 'writer' }],
        backup: { schedule: '30 2 * * *', keep: 7 },
        tags: { 'cost-center': '4712' },
        notes: 'moves to the new cluster in spring',
      },
    },
    v1beta1: {
      annotations: { [key('notes')]: 'moves to the new cluster in spring' },
      spec: {
        engine: 'mysql',
        tier: 'standard',
        replicas: '2',
        cpuMillis: 500,
        storageGB: 20,
        connectTimeoutSeconds: 30,
        address: 'users.db.internal:3306',
        maintenance: { day: 6, hour: 3 },
        networks: 'blue',
        users: [{ login: 'app', role: 'writer' }],
        backups: [{ schedule: '30 2 * * *', keep: 7 }],
        tags: { costCentre: '4712' },
      },
    },
    v1alpha1: {
      annotations: {
        [key('notes')]: 'moves to the new cluster in spring',
        [key('replicas')]: '2',
        [key('tier')]: '"standard"',
      },
      spec: {
        engine: { name: 'MySQL' },
        storageMiB: 20480,
        settings: { cpu: '500m', connectTimeout: '30s' },
        host: 'users.db.internal',
        port: 3306,
        maintenanceHour: 147,
        networks: ['blue'],
        users: { app: { role: 'writer' } },
        backupSchedule: '30 2 * * *',
        backupKeep: 7,
        tags: { 'cost-center': '4712' },
        flavor: 'classic',
      },
    },
  },
  put: {
    v1: { maintenance: { day: 0, hour: 23 } },
    v1beta1: { maintenance: { day: 0, hour: 23 } },
    v1alpha1: { maintenanceHour: 23 },
  },
  patch: {
    v1: { cpu: '2', connectTimeout: '1h0m0s', networks: null },
    v1beta1: { cpuMillis: 2000, connectTimeoutSeconds: 3600, networks: null },
    v1alpha1: { settings: { cpu: '2', connectTimeout: '1h0m0s' }, networks: null },
  },
};

/** The stored version's schema gives it the default tier; v1alpha1 keeps that in an annotation. */
const LEGACY: Story = {
  name: 'legacy',
  version: 'v1alpha1',
  views: {
    v1: {
      labels: { [key('team')]: 'core' },
      spec: {
        engine: 'Postgres',
        tier: 'standard',
        cpu: '2',
        storage: { sizeGiB: 50 },
        connectTimeout: '10s',
        endpoint: { host: 'legacy.db.internal', port: 5433 },
        maintenance: { day: 1, hour: 2 },
        networks: ['red'],
        users: [{ name: 'admin', role: 'owner' }],
        backup: { schedule: '0 4 * * 0', keep: 4 },
        tags: { 'cost-center': '4700' },
      },
    },
    v1beta1: {
      labels: { [key('team')]: 'core' },
      spec: {
        engine: 'postgresql',
        tier: 'standard',
        cpuMillis: 2000,
        storageGB: 50,
        connectTimeoutSeconds: 10,
        address: 'legacy.db.internal:5433',
        maintenance: { day: 1, hour: 2 },
        networks: 'red',
        users: [{ login: 'admin', role: 'owner' }],
        backups: [{ schedule: '0 4 * * 0', keep: 4 }],
        tags: { costCentre: '4700' },
      },
    },
    v1alpha1: {
      annotations: { [key('tier')]: '"standard"' },
      spec: {
        engine: { name: 'Postgres' },
        storageMiB: 51200,
        settings: { cpu: '2', connectTimeout: '10s' },
        host: 'legacy.db.internal',
        port: 5433,
        maintenanceHour: 26,
        networks: ['red'],
        users: { admin: { role: 'owner' } },
        backupSchedule: '0 4 * * 0',
        backupKeep: 4,
        tags: { 'cost-center': '4700' },
        team: 'core',
        flavor: 'classic',
      },
    },
  },
  put: {
    v1: { users: [{ name: 'owner' }, { name: 'root', role: 'owner' }] },
    v1beta1: { users: [{ login: 'owner' }, { login: 'root', role: 'owner' }] },
    v1alpha1: { users: { owner: {}, root: { role: 'owner' } } },
  },
  patch: {
    v1: { endpoint: { host: 'legacy.db.internal', port: 6000 }, tags: null },
    v1beta1: { address: 'legacy.db.internal:6000', tags: null },
    v1alpha1: { host: 'legacy.db.internal', port: 6000, tags: null },
  },
};

export const DATABASES = [ORDERS, USERS, LEGACY];

const CROSSPLANE = { compositionRef: { name: 'bucket-aws' } };

export const BUCKETS: readonly Story[] = [
  {
    name: 'logs',
    version: 'v1alpha1',
    views: {
      v1: {
        spec: {
          region: 'eu-central-1',
          versioning: true,
          retention: '720h0m0s',
          owner: { team: 'core', contact: 'core@example.org' },
          crossplane: CROSSPLANE,
        },
      },
      v1alpha1: {
        spec: {
          location: 'eu-central-1',
          versioning: 'on',
          retentionSeconds: 2592000,
          labels: { team: 'core', contact: 'core@example.org' },
          crossplane: CROSSPLANE,
        },
      },
    },
    put: {
      v1: { region: 'us-east-1', versioning: false },
      v1alpha1: { location: 'us-east-1', versioning: 'off' },
    },
    patch: {
      v1: { retention: '48h0m0s', owner: null },
      v1alpha1: { retentionSeconds: 172800, labels: null },
    },
  },
];
