import { markBelongings } from './belongings.ts';
import type { AppServiceDeps } from './deps.ts';
import { ask } from './upstream.ts';

/** Opens an upload. The package is not looked at before a deploy names it as `artifact:<id>`. */
export async function createArtifact(deps: AppServiceDeps, name: string) {
  await markBelongings(deps, name);
  const id = `art_${Buffer.from(deps.random(12)).toString('base64url')}`;
  return { id, upload: await ask(deps.artifacts.createUpload(name, id)) };
}
