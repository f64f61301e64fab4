import type { AppRecord } from '../model.ts';
import { type Account, parseImage } from '../spec/image.ts';
import type { CheckedSpec } from '../types.ts';

/** What the sender of a spec should know, given what is stored. */
export function warningsFor(
  { spec, warnings, given = {} }: CheckedSpec,
  { name, suspended, secrets }: Pick<AppRecord, 'name' | 'suspended' | 'secrets'>,
  account: Account,
): string[] {
  const more: string[] = [];
  const image = parseImage(spec.image, account);
  if (image.kind === 'foreign') more.push(`Nothing is deployed: the image ${spec.image} ${image.reason}.`);
  if (given.suspended !== undefined && given.suspended !== suspended) {
    more.push(`suspended does nothing here: POST /api/v1/apps/${name}/${suspended ? 'start' : 'stop'} changes it.`);
  }
  const missing = given.secretEnv?.filter((key) => !Object.hasOwn(secrets, key)) ?? [];
  if (missing.length > 0) {
    const keys = missing.map((key) => JSON.stringify(key.slice(0, 255))).slice(0, 20);
    more.push(`secret_env does nothing here: PUT /api/v1/apps/${name}/secrets/{key} sets ${keys.join(', ')}.`);
  }
  for (const key of Object.keys(spec.env).filter((key) => Object.hasOwn(secrets, key))) {
    more.push(`env.${key} has no effect: the secret of that name goes before it.`);
  }
  return [...warnings, ...more];
}
