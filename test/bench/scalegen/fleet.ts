import type { JsonObject } from '../../../lib/engine/json.ts';
import { type Assignment, assign, type FleetShape } from './assignment.ts';
import { GROUP } from './slots.ts';
import { type GeneratedTarget, renderTarget } from './target.ts';

export const HUB = 'v3';
/** The version at which objects are created. */
export const CREATED_AT = 'v1';

export interface FleetTarget extends GeneratedTarget {
  /** Objects at v1, without a namespace. */
  readonly instances: readonly JsonObject[];
}

/** Alike at every version: `spec` then always is at the hub, where a JSONPatch adds to it. */
const FIXTURE = { schema: { fixture: { type: 'string' } }, value: { fixture: 'ok' } };

/** CRDs `widget000s…`, their configs, and so many objects of each. */
export function renderFleet(shape: FleetShape, instances: number): FleetTarget[] {
  return assign(shape).map((assignment, index) => {
    const kind = `Widget${number(index)}`;
    const target = renderTarget({ kind, hub: HUB, spokes: assignment, shared: FIXTURE.schema });
    return { ...target, instances: Array.from({ length: instances }, (_, at) => renderInstance(kind, at, assignment)) };
  });
}

function renderInstance(kind: string, index: number, { [CREATED_AT]: slots }: Assignment): JsonObject {
  return {
    apiVersion: `${GROUP}/${CREATED_AT}`,
    kind,
    metadata: { name: `obj-${number(index)}` },
    spec: Object.assign({}, ...slots.map(({ sample }) => sample), FIXTURE.value),
  };
}

function number(index: number): string {
  return String(index).padStart(3, '0');
}
