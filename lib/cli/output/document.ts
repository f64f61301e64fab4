import type { Json } from '../../engine/json.ts';
import type { Flag } from '../command.ts';
import type { Io } from '../io.ts';
import { printJson } from './json.ts';

/** `-o` of the commands that make one document. */
export const DOCUMENT_FLAG = {
  short: 'o',
  value: 'FORMAT',
  default: 'yaml',
  choices: ['yaml', 'json'],
  summary: 'how to print',
} as const satisfies Flag;

/** Prints one resource; several are a YAML stream, in JSON a `List`, both as `kubectl apply -f -` reads them. */
export async function printDocuments(io: Io, format: string, documents: readonly object[]): Promise<void> {
  if (format === 'json') {
    return printJson(io, documents.length === 1 ? documents[0] : { apiVersion: 'v1', kind: 'List', items: documents });
  }
  // Loaded on use: it would be part of the start of every command.
  const { renderYamlStream } = await import('./yaml.ts');
  io.out(renderYamlStream(documents as readonly Json[]));
}
