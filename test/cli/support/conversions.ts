import { type Conversion, createConversion } from '../../../lib/cli/conformance/conversion.ts';
import { inspect } from '../../../lib/configs/inspect.ts';
import { readResource } from '../../../lib/configs/resource.ts';
import type { JsonObject } from '../../../lib/engine/json.ts';
import { stringifyJson } from '../../../lib/k8s/json.ts';
import { spec } from '../../support/plan.ts';

export interface ConversionInput {
  /** Fields of `spec` at the hub, v2. */
  readonly hub: JsonObject;
  /** Fields of `spec` at the spoke, v1. */
  readonly spoke: JsonObject;
  readonly rules: readonly JsonObject[];
  /** Another spoke, v0. */
  readonly older?: { readonly fields: JsonObject; readonly rules: readonly JsonObject[] };
  /** Uncovered fields are a warning. */
  readonly warn?: boolean;
}

/** A conversion of `Kettle` objects between v2, the hub, and v1, or also v0. */
export async function kettles({ hub, spoke, rules, older, warn = false }: ConversionInput): Promise<Conversion> {
  const version = (name: string, fields: JsonObject) => {
    return { name, served: true, storage: name === 'v2', schema: { openAPIV3Schema: spec(fields) } };
  };
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'kettles.example.org' },
    spec: {
      group: 'example.org',
      names: { kind: 'Kettle', plural: 'kettles' },
      versions: [version('v2', hub), version('v1', spoke), ...(older ? [version('v0', older.fields)] : [])],
    },
  };
  const config = {
    apiVersion: 'terasky.com/v1alpha1',
    kind: 'CRDConversionConfig',
    metadata: { name: 'kettles' },
    spec: {
      targetCRD: { name: 'kettles.example.org' },
      hubVersion: 'v2',
      ...(warn && { unmappedFieldPolicy: 'Warn', unmappedFieldReason: 'a test' }),
      spokes: [{ version: 'v1', rules }, ...(older ? [{ version: 'v0', rules: older.rules }] : [])],
    },
  };
  const read = (value: JsonObject, what: string) => readResource(value, what, stringifyJson);
  const inspection = await inspect({ config: read(config, 'config'), schema: read(crd, 'schema') });
  const errors = inspection.findings.filter(({ diagnostic }) => diagnostic.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ diagnostic }) => diagnostic.message).join('; '));
  return createConversion(inspection as Required<typeof inspection>);
}

/** A Kettle at a version. */
export function kettle(version: string, fields: JsonObject, name = 'a'): JsonObject {
  return { apiVersion: `example.org/${version}`, kind: 'Kettle', metadata: { name }, spec: fields };
}
