import { describe, expect, test } from 'vitest';
import { strategies } from '../../../lib/engine/strategies/index.ts';

const NAMES =
  'FieldRename ScalarToObject ObjectToScalar SingletonArrayToObject ObjectToSingletonArray FieldsToMap MapToFields ToAnnotation ToLabel FromAnnotation FromLabel EnumRemap DefaultValue Constant Delete JSONPatch ForEach TypeCoerce ScalarToFields FieldsToScalar ArrayToMapByKey MapToArrayByKey NumericScale ListJoin ListSplit Quantity Duration MapKeyRename CEL';

test('there are the 29 strategies of the configuration language, each with its block', () => {
  expect(strategies.map(({ name }) => name)).toEqual(NAMES.split(' '));
  expect(strategies.map(({ block }) => block)).toContain('jsonPatch');
  expect(new Set(strategies.map(({ block }) => block)).size).toBe(29);
});

describe('every strategy', () => {
  test.each(strategies)('$name says what it does, for which objects, and refuses unknown parameters', (strategy) => {
    expect(strategy.summary).toMatch(/^[a-z].*[^.]$/);
    expect(strategy.domain).not.toBe('');
    const bound = strategy.bind({ nonsense: 1 });
    expect('issues' in bound && bound.issues.map(({ message }) => message)).toContain('unknown key nonsense');
  });
});

test('docs/strategies.md lists them', async () => {
  const rows = strategies.map(
    ({ name, block, summary, parameters, domain }) =>
      `| \`${name}\` | ${summary} | \`${block}\`: ${parameters.map((key) => `\`${key}\``).join(', ')} | ${domain} |`,
  );
  const text = `# The 29 strategies

Made from the descriptors in \`lib/engine/strategies/\` by their test (\`npx vitest run -u strategies\` writes it again).
A rule names one strategy and has that strategy's parameters under their key. \`when\`, \`acknowledgeLossy\` and \`reason\`
go with each. The last column says for which objects a rule that the analysis calls lossless comes back as it went.

| Strategy | What it does | Parameters | Comes back the same |
|---|---|---|---|
${rows.join('\n')}
`;
  await expect(text).toMatchFileSnapshot('../../../docs/strategies.md');
});
