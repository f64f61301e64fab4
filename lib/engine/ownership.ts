import { getOwn, type JsonObject } from './json.ts';
import { propertiesOf, shapeOf } from './schema.ts';
import type { Place, Side } from './strategy.ts';

export interface OwnershipFinding {
  readonly code: 'DROPPED_PART_STAYS';
  readonly side: Side;
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/**
 * Where server-side apply owns a field in parts at one version and as one whole at the other: a part that a manager
 * drops stays as long as another manager applies at the version where it is one whole (measured on Kubernetes 1.36).
 */
export function ownershipFinding(hub: Place, spoke: Place): OwnershipFinding | undefined {
  const inParts = hasParts(hub.node);
  if (inParts === hasParts(spoke.node)) return undefined;
  const [side, parts, whole] = inParts ? (['hub', hub, spoke] as const) : (['spoke', spoke, hub] as const);
  const other = side === 'hub' ? 'spoke' : 'hub';
  return {
    code: 'DROPPED_PART_STAYS',
    side,
    path: parts.text,
    message: `a part of ${parts.text} that server-side apply drops at the ${side} stays while another manager applies at the ${other}, where ${whole.text} is one whole`,
    hint: 'declare parts at both versions (x-kubernetes-list-type: map) or at neither (x-kubernetes-map-type: atomic)',
  };
}

/**
 * Whether managers can own parts of a field (`x-kubernetes-map-type`, `x-kubernetes-list-type` of the CRD schema). An
 * object of one field has no parts: without that field it is gone.
 */
function hasParts(node: JsonObject): boolean {
  const { kind, opaque } = shapeOf(node);
  if (kind === 'array') return ['map', 'set'].includes(String(getOwn(node, 'x-kubernetes-list-type')));
  if (kind !== 'object' || getOwn(node, 'x-kubernetes-map-type') === 'atomic') return false;
  return opaque || Object.keys(propertiesOf(node) ?? {}).length > 1;
}
