import type { Finding } from '../../configs/inspect.ts';
import { readResource } from '../../configs/resource.ts';
import type { PutInput } from '../../configs/types.ts';
import type { Diagnostic } from '../../engine/diagnostic.ts';
import { getOwn, type Json } from '../../engine/json.ts';
import { stringifyJson } from '../../k8s/json.ts';
import type { Given } from '../input/conversion.ts';

const KINDS = {
  config: /^(CRD|XRD)ConversionConfig$/,
  schema: /^(CustomResource|CompositeResource)Definition$/,
} as const;

/**
 * What is sent of a config and its schema: each file's text as it is, comments and all, and of a file with other
 * documents in it the one that is meant. Undefined for one that cannot be read.
 */
export function shipmentOf({ texts }: Given): PutInput | undefined {
  const [config, schema] = [contentOf(texts.config?.text, 'config'), contentOf(texts.schema?.text, 'schema')];
  return config === undefined || schema === undefined ? undefined : { config, schema };
}

function contentOf(text: string | undefined, what: 'config' | 'schema'): Json | undefined {
  if (text === undefined) return undefined;
  if (readResource(text, what, stringifyJson).value) return text;
  return readResource(text, what, stringifyJson, (value) => KINDS[what].test(String(getOwn(value, 'kind')))).value
    ?.value;
}

/**
 * Findings of a server, with their places in the files here. This side judges the same texts, so it knows of most in
 * which file and on which line they are; of others, as of a newer server, the code tells the file.
 */
export function locate(found: readonly Diagnostic[], known: readonly Finding[]): Finding[] {
  return found.map((diagnostic): Finding => {
    const same = known.find((other) => keyOf(other.diagnostic) === keyOf(diagnostic));
    return same ?? { of: diagnostic.code.startsWith('SCHEMA_') ? 'schema' : 'config', diagnostic };
  });
}

function keyOf({ code, spoke, rule, path, message }: Diagnostic): string {
  return JSON.stringify([code, spoke, rule, path, message]);
}
