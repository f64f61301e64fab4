import { AppError } from '../../errors.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { AppRecord, SecretRecord } from '../model.ts';
import { loadApp } from '../records.ts';
import { envNameFault } from '../spec/env.ts';
import { badRequest } from '../spec/problems.ts';
import { markBelongings } from './belongings.ts';
import { change, desiredBesideSpec } from './change.ts';
import type { AppServiceDeps } from './deps.ts';
import { ask } from './upstream.ts';

/** Of a standard parameter of SSM. */
const MAX_BYTES = 4096;
/** They are read ten at a time when an instance starts. */
const MAX_SECRETS = 50;
const WHAT = 'the secret is not valid';

/**
 * Keeps a value and says so in the app. The value is written first, and again if the app was changed in between: whoever
 * writes the last record of a key has written its value after everybody whose record he saw. A request that dies between
 * the two leaves a value that works and an old record; its sender got no answer and repeats it.
 */
export async function putSecret(
  deps: AppServiceDeps,
  name: string,
  key: string,
  { value, overwriteLocked = false }: { readonly value: string; readonly overwriteLocked?: boolean },
): Promise<SecretRecord> {
  check(key, value);
  await markBelongings(deps, name);
  const newKey = Buffer.from(deps.random(16)).toString('base64url');
  let written = false;
  try {
    const app = await change(deps, name, { reason: 'secret' }, async (before) => {
      const present = find(before, key);
      refuseLocked(before, key, present, overwriteLocked);
      refuseMany(before, present);
      await ask(deps.secretValues.put(name, key, value));
      written = true;
      const { fingerprintKey = newKey } = before;
      const fingerprint = fingerprintOf(fingerprintKey, value);
      const record = { locked: present?.locked ?? false, updatedAt: deps.clock.now(), fingerprint };
      return { ...desiredBesideSpec(before), fingerprintKey, secrets: { ...before.secrets, [key]: record } };
    });
    return find(app, key) as SecretRecord;
  } catch (error) {
    // Refused after the value was written: without a record nobody would see it, and nobody else would remove it.
    const refused = error instanceof AppError && error.status < 500;
    if (written && refused && (await isUnknown(deps, name, key))) await ask(deps.secretValues.remove(name, key));
    throw error;
  }
}

export async function lockSecret(deps: AppServiceDeps, name: string, key: string, locked: boolean): Promise<void> {
  await change(deps, name, { reason: 'secret' }, (app) => {
    const present = requireSecret(app, key);
    return present.locked === locked ? undefined : { secrets: { ...app.secrets, [key]: { ...present, locked } } };
  });
}

/** The value goes first: a record without a value can be removed again, a value without a record would still be read. */
export async function removeSecret(
  deps: AppServiceDeps,
  name: string,
  key: string,
  { overwriteLocked = false }: { readonly overwriteLocked?: boolean } = {},
): Promise<void> {
  await change(deps, name, { reason: 'secret' }, async (app) => {
    refuseLocked(app, key, requireSecret(app, key), overwriteLocked);
    await ask(deps.secretValues.remove(name, key));
    const { [key]: _, ...secrets } = app.secrets;
    return { ...desiredBesideSpec(app), secrets };
  });
}

/** @throws AppError BAD_REQUEST, which never shows the value */
function check(key: string, value: string): void {
  const fault = envNameFault(key);
  if (fault !== undefined) throw badRequest(WHAT, ['key'], fault);
  const bytes = Buffer.byteLength(value);
  if (bytes === 0) throw badRequest(WHAT, ['value'], 'must not be empty; DELETE removes a secret');
  if (bytes > MAX_BYTES) throw badRequest(WHAT, ['value'], `is too long: ${bytes} bytes, at most ${MAX_BYTES}`);
  if (value.includes('\0')) throw badRequest(WHAT, ['value'], 'has a NUL character, which no variable can hold');
}

/** `constructor` is a legal name, so only own keys count. */
function find({ secrets }: AppRecord, key: string): SecretRecord | undefined {
  return Object.hasOwn(secrets, key) ? secrets[key] : undefined;
}

function requireSecret(app: AppRecord, key: string): SecretRecord {
  const found = find(app, key);
  if (found !== undefined) return found;
  throw new AppError('NOT_FOUND', `The app ${app.name} has no secret ${JSON.stringify(key.slice(0, 64))}.`);
}

function refuseLocked({ name }: AppRecord, key: string, present: SecretRecord | undefined, overwrite: boolean): void {
  if (!present?.locked || overwrite) return;
  const how = `Send overwrite_locked: true, or unlock it: POST /api/v1/apps/${name}/secrets/${key}/lock.`;
  throw new AppError('CONFLICT', `The secret ${key} of the app ${name} is locked. ${how}`);
}

function refuseMany({ name, secrets }: AppRecord, present: SecretRecord | undefined): void {
  if (present !== undefined || Object.keys(secrets).length < MAX_SECRETS) return;
  const text = `The app ${name} has ${MAX_SECRETS} secrets already, and more are not possible. Remove one that is not needed.`;
  throw new AppError('CONFLICT', text);
}

async function isUnknown(deps: AppServiceDeps, name: string, key: string): Promise<boolean> {
  const app = await loadApp(deps, name);
  return app === undefined || app.deletion !== undefined || find(app, key) === undefined;
}
