import { prepare } from '../../../lib/configs/prepare.ts';
import { compile } from '../../../lib/engine/compile.ts';
import type { JsonObject } from '../../../lib/engine/json.ts';
import { createRun } from '../../../lib/engine/run.ts';
import { CREATED_AT, type FleetTarget, HUB } from './fleet.ts';
import { GROUP } from './slots.ts';

/** What the engine, in this process, makes of the objects of a target once they are stored, at a version. */
export type Expectation = (version: string) => JsonObject[];

export async function compileExpectation({ crd, config, instances }: FleetTarget): Promise<Expectation> {
  const { analysis } = await prepare(crd.metadata.name, { config, schema: crd });
  const router = compile(analysis);
  const run = createRun('review');
  const stored = instances.map((instance) => router.convert(withUid(instance), CREATED_AT, HUB, run));
  return (version) =>
    stored.map((object) => ({
      ...withoutServerMetadata(router.convert(object, HUB, version, run)),
      apiVersion: `${GROUP}/${version}`,
    }));
}

/** An object without one is a fragment to the engine. */
function withUid(object: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), uid: 'u' } };
}

/** The object without what an apiserver writes itself. */
export function withoutServerMetadata(object: JsonObject): JsonObject {
  const { namespace, uid, resourceVersion, generation, creationTimestamp, managedFields, ...metadata } = object[
    'metadata'
  ] as JsonObject;
  return { ...object, metadata };
}
