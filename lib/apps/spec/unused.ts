import { isObject, type Json, type JsonObject } from '../../engine/json.ts';
import type { Fields } from './fields.ts';
import type { Findings } from './problems.ts';

/** Keys that only answers have. They are passed over, so that what a GET answered can be sent back by PUT. */
const READ_ONLY = [
  ...['app_id', 'suspended', 'secret_env', 'status', 'state', 'generation', 'observed_generation', 'env_dirty', 'url'],
  ...['live', 'latest_deploy', 'deletion', 'created_at', 'updated_at', 'warnings', 'auto_placed', 'environment_name'],
  ...['resources_applied_live', 'previous_release_held_until'],
];

const NO_HOSTS = 'apps run on Lambda, which has no hosts';
const NO_GROUPS = 'there are no projects and environments here';

/** Keys of the peer that mean nothing here, by the path of the object that has them, and why. */
const UNUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    host_port: 'the app is reached by its URL',
    bind_address: 'the app is reached by its URL',
    node_id: NO_HOSTS,
    volumes: `${NO_HOSTS} and no disks; keep files in S3`,
    bind_mounts: NO_HOSTS,
    project_id: NO_GROUPS,
    environment_id: NO_GROUPS,
    tags: 'use labels',
    storage_target_id: 'name the bucket in env',
    database_env: 'put the address into env or a secret',
    database_attachment: 'put the address into env or a secret',
    vault_env: 'put the values by PUT /apps/{name}/secrets/{key}',
    log_drain: 'logs go to CloudWatch; GET /apps/{name}/logs reads them',
    hooks: 'nothing runs before or after a deploy; run it in the pipeline that deploys',
    command: 'the handler, or the image, says what runs',
    pull_policy: 'each deploy pins the digest of its image',
    preview_env_overrides: 'there are no previews here',
  },
  resources: {
    nano_cpus: 'Lambda gives processor time in proportion to memory_bytes',
    swap_memory_bytes: 'Lambda has no swap',
    cpuset_cpus: NO_HOSTS,
  },
  'health.readiness': probe(),
  'health.liveness': probe(),
};

function probe() {
  const why = 'the new version is invoked directly, and 2xx is well';
  return {
    scheme: why,
    host: why,
    tls_skip_verify: why,
    follow_redirects: why,
    expected_status: why,
    exec: 'nothing can be run inside of an instance',
  };
}

/**
 * Judges the keys of an object that are not `known`: a warning for those of the peer that do nothing here, a fault for
 * each that nobody knows. What is empty, zero or false was not set.
 */
export function warnUnused(
  object: JsonObject,
  path: readonly string[],
  known: readonly string[],
  findings: Findings,
): void {
  const unused = UNUSED[path.join('.')] ?? {};
  for (const key of Object.keys(object)) {
    if (known.includes(key) || (path.length === 0 && READ_ONLY.includes(key))) continue;
    if (!Object.hasOwn(unused, key)) findings.wrong([...path, key], unknownKey(path, key));
    else if (!isZero(object[key] as Json)) findings.warn(`${[...path, key].join('.')} does nothing: ${unused[key]}.`);
  }
}

function unknownKey(path: readonly string[], key: string): string {
  if (path.length > 0 || key !== 'secrets') return 'this key is not known';
  return 'secrets are set one by one: PUT /apps/{name}/secrets/{key}';
}

/** Those that the peer refuses by their value are refused here too: the sender is mistaken either way. */
export function checkUnused(fields: Fields, findings: Findings): void {
  if (fields.value('host_port') !== 0) fields.whole('host_port', { from: 1, to: 65_535 });
  const address = fields.text('bind_address', 64);
  if (address && !/^(?:private|public|[\da-fA-F.:]+)$/.test(address)) {
    findings.wrong(['bind_address'], 'must be private, public or an IP address');
  }
}

function isZero(value: Json): boolean {
  if (value === null || value === 0 || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
