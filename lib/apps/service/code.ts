import { AppError } from '../../errors.ts';
import type { AppRecord, Attempt, Code } from '../model.ts';
import { parseImage } from '../spec/image.ts';
import { badRequest } from '../spec/problems.ts';
import type { AppServiceDeps } from './deps.ts';
import { ask } from './upstream.ts';

/** What an attempt needs to know of its code. */
export type CodeSource = Pick<Attempt, 'source' | 'image'> & { readonly code?: Code };

const WHAT = 'this cannot be deployed';

/**
 * Looks up what an image of a request stands for. A package is pinned here, an image by the worker.
 * @throws AppError BAD_REQUEST with pointer /image when it cannot be deployed
 */
export async function findCode(deps: AppServiceDeps, app: string, image: string): Promise<CodeSource> {
  const parsed = parseImage(image, deps.account);
  if (parsed.kind === 'image') return { source: 'image', image };
  if (parsed.kind === 'zip') return { source: 'manual', image, code: await findPackage(deps, app, parsed.artifact) };
  const reason = parsed.kind === 'pending' ? 'stands for code that comes later' : parsed.reason;
  throw badRequest(WHAT, ['image'], reason);
}

async function findPackage({ artifacts }: AppServiceDeps, app: string, artifact: string): Promise<Code> {
  const found = await ask(artifacts.find(app, artifact));
  if (found !== undefined) return { kind: 'zip', artifact, ...found };
  const how = `POST /api/v1/apps/${app}/artifacts gives an id and the URL to upload it to`;
  throw badRequest(WHAT, ['image'], `no package was uploaded as artifact ${artifact} of the app ${app}. ${how}`);
}

/** Lambda cannot change a function from one kind of package to the other. @throws AppError CONFLICT */
export function checkKind({ name, live, observed, attempt }: AppRecord, { image }: Pick<CodeSource, 'image'>): void {
  const kind = isPackage(image) ? 'zip' : 'image';
  const made = live?.image ?? (observed?.functionArn === undefined ? undefined : attempt?.image);
  const before = made === undefined ? kind : isPackage(made) ? 'zip' : 'image';
  if (before === kind) return;
  const names = { zip: 'a zip package', image: 'an image' };
  const how = 'Create another app for it, or remove this one first.';
  const text = `The function of the app ${name} was made of ${names[before]}; Lambda cannot change it to ${names[kind]}.`;
  throw new AppError('CONFLICT', `${text} ${how}`);
}

function isPackage(image: string): boolean {
  return image.startsWith('artifact:');
}
