import type { PutInput } from '../../lib/configs/types.ts';
import type { JsonObject } from '../../lib/engine/json.ts';

interface WidgetOptions {
  readonly target?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly endpoint?: string;
  /** The spoke's name of the hub's `spec.size`. */
  readonly spokeField?: string;
  readonly served?: readonly string[];
  /** More properties of `spec`, the same in both versions. */
  readonly more?: Readonly<Record<string, JsonObject>>;
  readonly rules?: readonly JsonObject[];
  readonly spec?: JsonObject;
}

/** A small CRD with two versions (v2 is the hub) and a config that renames one field between them. */
export function widgets(options: WidgetOptions = {}): { config: JsonObject; schema: JsonObject } & PutInput {
  return { config: widgetConfig(options), schema: widgetCrd(options) };
}

export function widgetConfig(options: WidgetOptions = {}): JsonObject {
  const { target = 'widgets.example.org', labels = {}, endpoint, spokeField = 'length', rules, spec = {} } = options;
  const rename = { strategy: 'FieldRename', fieldRename: { hubPath: 'spec.size', spokePath: `spec.${spokeField}` } };
  return {
    apiVersion: 'terasky.com/v1alpha1',
    kind: 'CRDConversionConfig',
    metadata: { name: `${target.split('.')[0]}-conversion`, labels },
    spec: {
      targetCRD: { name: target },
      hubVersion: 'v2',
      spokes: [{ version: 'v1', rules: rules ?? [rename] }],
      ...(endpoint !== undefined && { webhookServerRef: { name: endpoint } }),
      ...spec,
    },
  };
}

export function widgetCrd(options: WidgetOptions = {}): JsonObject {
  const { target = 'widgets.example.org', spokeField = 'length', served = ['v1', 'v2'], more = {} } = options;
  const [plural = '', ...group] = target.split('.');
  const version = (name: string, field: string): JsonObject => ({
    name,
    served: served.includes(name),
    storage: name === 'v2',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        description: 'A widget.',
        properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' }, ...more } } },
      },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: target },
    spec: {
      group: group.join('.'),
      names: { plural, kind: 'Widget' },
      scope: 'Namespaced',
      versions: [version('v1', spokeField), version('v2', 'size')],
    },
  };
}

export function widget(version: string, spec: JsonObject, group = 'example.org'): JsonObject {
  return { apiVersion: `${group}/${version}`, kind: 'Widget', metadata: { name: 'w', uid: 'u1' }, spec };
}

export function webhookServer(name: string, spec: JsonObject = {}): JsonObject {
  return { apiVersion: 'terasky.com/v1alpha1', kind: 'ConversionWebhookServer', metadata: { name }, spec };
}

/** The config as a person writes it. */
export const WIDGET_CONFIG_TEXT = `apiVersion: terasky.com/v1alpha1
kind: CRDConversionConfig
metadata: {name: w}
spec:
  targetCRD: {name: widgets.example.org}
  hubVersion: v2
  spokes:
  - version: v1
    rules:
    - strategy: FieldRename
      fieldRename: {hubPath: spec.size, spokePath: spec.length}
`;
