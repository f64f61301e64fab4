import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import pkg from '../../../package.json' with { type: 'json' };
import type { Finding } from '../../configs/inspect.ts';
import { placeOf, type Texts } from './findings.ts';

/** Findings with the texts that they are in. */
export interface Located {
  readonly findings: readonly Finding[];
  readonly texts: Texts;
}

/** A log of the Static Analysis Results Interchange Format 2.1.0 (OASIS), as code scanning services take it. */
export function sarifLog(located: readonly Located[]) {
  const found = located.flatMap(({ findings, texts }) => findings.map((finding) => ({ finding, texts })));
  const codes = [...new Set(found.map(({ finding }) => finding.diagnostic.code))].sort();
  return {
    version: '2.1.0',
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs: [
      {
        tool: { driver: { name: 'convctl', version: pkg.version, rules: codes.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results: found.map(({ finding, texts }) => resultOf(finding, texts, codes)),
      },
    ],
  };
}

function resultOf(finding: Finding, texts: Texts, codes: readonly string[]) {
  const { code, severity, message, hint, spoke } = finding.diagnostic;
  const place = placeOf(finding, texts);
  const source = texts[finding.of];
  const region = place && { startLine: place.line, startColumn: place.column };
  const physicalLocation = source && { artifactLocation: { uri: uriOf(source.name) }, ...(region && { region }) };
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: `${spoke === undefined ? '' : `spoke ${spoke}: `}${message}\n${hint}` },
    locations: physicalLocation ? [{ physicalLocation }] : [],
  };
}

/** A relative path stays relative: to the root of the repository, where scans are started. */
function uriOf(name: string): string {
  if (isAbsolute(name)) return pathToFileURL(name).href;
  return name.split(/[\\/]/).map(encodeURIComponent).join('/');
}
