import { DUMP_SCHEMA, defineScalarTag, dump, floatYaml11Tag, intYaml11Tag, NOT_RESOLVED } from 'js-yaml';
import type { Json } from '../../engine/json.ts';
import { plainValue } from '../../k8s/yaml-schema.ts';

const DUMPED_INT = DUMP_SCHEMA.tags.find(({ tagName }) => tagName === intYaml11Tag.tagName) ?? intYaml11Tag;

/** Integers of any size; a text that kubectl would read as a number is one too, so that a string of it is quoted. */
const intTag = defineScalarTag<unknown>(intYaml11Tag.tagName, {
  implicit: true,
  implicitFirstChars: [...'+-.0123456789'],
  identify: (value) => typeof value === 'bigint' || (typeof value === 'number' && intYaml11Tag.identify(value)),
  represent: (value) => String(value),
  resolve: (text, explicit, tag) => {
    const known = DUMPED_INT.nodeKind === 'scalar' ? DUMPED_INT.resolve(text, explicit, tag) : NOT_RESOLVED;
    if (known !== NOT_RESOLVED || typeof plainValue(text) !== 'number') return known;
    return floatYaml11Tag.resolve(text, explicit, tag) === NOT_RESOLVED ? Number(text) : NOT_RESOLVED;
  },
});
const SCHEMA = DUMP_SCHEMA.withTags(intTag);

/**
 * One YAML document, as kubectl prints them: lists not indented, no line folded. Strings that YAML 1.1 or 1.2 would read
 * as something else are quoted (R46).
 */
export function renderYaml(value: Json): string {
  return dump(value, { schema: SCHEMA, noRefs: true, lineWidth: -1, seqNoIndent: true });
}

/** Several documents, `---` between them. */
export function renderYamlStream(values: readonly Json[]): string {
  return values.map(renderYaml).join('---\n');
}
