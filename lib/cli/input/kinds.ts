import { getOwn, type JsonObject } from '../../engine/json.ts';

const CONFIG_KIND = /^(CRD|XRD)ConversionConfig$/;
const SCHEMA_KIND = /^(CustomResource|CompositeResource)Definition$/;

/** The kind of a document, `''` without one. */
export function kindOf(document: JsonObject): string {
  return String(getOwn(document, 'kind') ?? '');
}

export function isConfig(document: JsonObject): boolean {
  return CONFIG_KIND.test(kindOf(document));
}

export function isSchema(document: JsonObject): boolean {
  return SCHEMA_KIND.test(kindOf(document));
}

/** What the target of a config is; undefined for another document. */
export function targetKindOf(config: JsonObject): 'CRD' | 'XRD' | undefined {
  return CONFIG_KIND.exec(kindOf(config))?.[1] as 'CRD' | 'XRD' | undefined;
}

/** The kind of the resource that a CRD or an XRD is. */
export function schemaKindOf(target: 'CRD' | 'XRD'): string {
  return target === 'XRD' ? 'CompositeResourceDefinition' : 'CustomResourceDefinition';
}
