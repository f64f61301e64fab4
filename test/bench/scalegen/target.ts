import type { JsonObject } from '../../../lib/engine/json.ts';
import { GROUP, type Slot } from './slots.ts';

/** A CRD and its config, as JSON. */
export interface GeneratedTarget {
  readonly crd: any;
  readonly config: any;
}

interface TargetShape {
  /** Plural and singular follow from it. */
  readonly kind: string;
  readonly hub: string;
  /** What each spoke converts; the hub has the fields of all. */
  readonly spokes: Readonly<Record<string, readonly Slot[]>>;
  /** Properties of `spec` that every version has alike. */
  readonly shared: JsonObject;
}

/** A kind whose versions differ by what the slots say, and the rules between them. */
export function renderTarget({ kind, hub, spokes, shared }: TargetShape): GeneratedTarget {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const name = `${plural}.${GROUP}`;
  const hubSlots = Object.values(spokes).flat();
  const versions = Object.entries(spokes).map(
    ([version, slots]) => [version, slots.map(({ spoke }) => spoke)] as const,
  );
  return {
    crd: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { kind, plural, singular, categories: ['widgets'] },
        versions: [[hub, hubSlots.map((slot) => slot.hub)] as const, ...versions].map(([version, properties]) => ({
          name: version,
          served: true,
          storage: version === hub,
          schema: { openAPIV3Schema: renderSchema(Object.assign({}, ...properties, shared)) },
        })),
      },
    },
    config: {
      apiVersion: 'terasky.com/v1alpha1',
      kind: 'CRDConversionConfig',
      metadata: { name: `${name}-conversion` },
      spec: {
        targetCRD: { name },
        hubVersion: hub,
        unmappedFieldPolicy: 'Warn',
        unmappedFieldReason: 'each spoke lacks what the other brings to the hub',
        spokes: Object.entries(spokes).map(([version, slots]) => ({
          version,
          rules: slots.map(({ strategy, rule }) => ({ strategy, ...rule })),
        })),
      },
    },
  };
}

function renderSchema(properties: JsonObject): JsonObject {
  return { type: 'object', properties: { spec: { type: 'object', properties } } };
}
