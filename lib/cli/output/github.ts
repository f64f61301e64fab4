import type { Finding } from '../../configs/inspect.ts';
import { placeOf, type Texts } from './findings.ts';

/** Findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull request. */
export function renderGithub(findings: readonly Finding[], texts: Texts): string {
  return findings.map((finding) => renderCommand(finding, texts)).join('');
}

function renderCommand(finding: Finding, texts: Texts): string {
  const { code, severity, message, hint, spoke } = finding.diagnostic;
  const place = placeOf(finding, texts);
  const properties = {
    file: texts[finding.of]?.name,
    line: place?.line,
    col: place?.column,
    title: spoke === undefined ? code : `${code} [${spoke}]`,
  };
  const given = Object.entries(properties).filter(([, value]) => value !== undefined);
  const shown = given.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(',');
  return `::${severity} ${shown}::${escapeData(`${message}\n${hint}`)}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
