import type { Analysis, ConversionSource } from '../engine/analyse.ts';
import { type Diagnostic, hasErrors } from '../engine/diagnostic.ts';
import { getOwn } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { stringifyJson } from '../k8s/json.ts';
import type { Target } from '../k8s/target.ts';
import { inspect } from './inspect.ts';
import type { ConversionConfig } from './parse-config.ts';
import { readResource } from './resource.ts';
import type { PutInput } from './types.ts';

/** A config and its schema that passed every check. */
export interface Prepared {
  readonly config: ConversionConfig;
  readonly schema: Target;
  /** API version of the CRD or XRD itself. */
  readonly schemaApiVersion: string;
  readonly source: ConversionSource;
  readonly analysis: Analysis;
  /** No errors among them. */
  readonly diagnostics: readonly Diagnostic[];
  readonly texts: { readonly config: string; readonly schema: string };
}

/**
 * Parses and analyses a config with its schema. Stores nothing.
 * @throws AppError CONFIG_INVALID with all diagnostics at once, warnings included
 */
export async function prepare(target: string, input: PutInput): Promise<Prepared> {
  const sent = {
    config: readResource(input.config, 'config', stringifyJson),
    schema: readResource(input.schema, 'schema', stringifyJson),
  };
  const { config, schema, source, analysis, findings } = await inspect(sent, target);
  const diagnostics = findings.map(({ diagnostic }) => diagnostic);
  if (
    !config ||
    !schema ||
    !source ||
    !analysis ||
    !sent.config.value ||
    !sent.schema.value ||
    hasErrors(diagnostics)
  ) {
    throw invalid(target, diagnostics);
  }
  return {
    config,
    schema,
    schemaApiVersion: String(getOwn(sent.schema.value.value, 'apiVersion')),
    source,
    analysis,
    diagnostics,
    texts: { config: sent.config.value.text, schema: sent.schema.value.text },
  };
}

/** @returns the error that `PUT` answers a bad config with */
export function invalid(target: string, diagnostics: readonly Diagnostic[]): AppError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  const message = `The config of ${target} has ${count}; nothing was stored. First: ${errors[0]?.message}`;
  return new AppError('CONFIG_INVALID', message, { diagnostics });
}

/** The finding about a plan that analysis liked and that cannot be compiled. */
export function notCompiled(message: string): Diagnostic {
  const hint = 'this is a fault of ours: please report it with the config';
  return { code: 'PLAN_NOT_COMPILED', severity: 'error', message, path: 'spec.spokes', hint };
}
