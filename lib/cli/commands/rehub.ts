import type { Finding } from '../../configs/inspect.ts';
import { type Diagnostic, hasErrors } from '../../engine/diagnostic.ts';
import { AppError } from '../../errors.ts';
import { type Draft, rehub as turnAround } from '../authoring/rehub/rehub.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { CONFIG_FLAG, type Given, invalidConversion, readConversion, SCHEMA_FLAGS } from '../input/conversion.ts';
import type { Io } from '../io.ts';
import { DOCUMENT_FLAG, printDocuments } from '../output/document.ts';
import { renderFindings } from '../output/findings.ts';

export const rehub = defineCommand({
  name: 'rehub',
  group: 'Author',
  summary: 'rewrite a config around another hub, such as before the storage version changes',
  description:
    'The old hub becomes a spoke, with the rules of the promoted version turned around; every other spoke gets the rules between it and the new hub. Conversions from and to the promoted version stay what they were; those between the old hub and the other spokes now pass the new hub. What no rule can do is an error, with the line of the rule: --allow-invalid prints the draft without it. The schema may have the old or the new storage version. Comments are not kept.',
  flags: {
    config: CONFIG_FLAG,
    ...SCHEMA_FLAGS,
    to: { value: 'VERSION', required: true, summary: 'the spoke that becomes the hub' },
    allowInvalid: { summary: 'print the draft although something is wrong with it' },
    output: DOCUMENT_FLAG,
  },
  oneOf: [{ flags: ['xrd', 'crd'], required: true }],
  examples: [
    { what: 'Make v2 the hub', command: 'rehub -c config.yaml --crd crd.yaml --to v2' },
    {
      what: 'A draft to finish by hand',
      command: 'rehub -c config.yaml --crd crd.yaml --to v2 --allow-invalid',
    },
  ],
  async run({ flags }, io) {
    const given = await readConversion(flags, io);
    const { source, documents, findings } = given;
    const wrong = findings.filter(({ diagnostic: { severity, code } }) => severity === 'error' && code !== ANY_STORAGE);
    if (!source || !documents.config || (wrong.length > 0 && !flags.allowInvalid)) {
      throw invalidConversion({ ...given, findings: wrong }, io);
    }
    const draft = await turnAround(documents.config.value, source, flags.to);
    const faults = faultsOf(draft, given, io);
    if (faults.errors !== '' && !flags.allowInvalid) {
      const hint = 'finish it by hand: --allow-invalid prints it as it is';
      throw new AppError('CONFIG_INVALID', `the draft has errors (${hint})\n${faults.errors.trimEnd()}`);
    }
    await printDocuments(io, flags.output, [draft.config]);
    io.err(`${faults.warnings}${faults.errors}${afterwards(flags, given)}`);
    return EXIT.ok;
  },
});

/** Whether the hub is stored already, or only will be, is no matter here. */
const ANY_STORAGE = 'HUB_NOT_STORAGE';

/** Findings about rules of the config have its lines; of the draft's own, what follows from those is left out. */
function faultsOf(draft: Draft, { config, documents, texts }: Given, io: Io): { errors: string; warnings: string } {
  const lineOf = ({ spoke, rule }: Diagnostic): number | undefined => {
    const at = config?.spokes.findIndex(({ version }) => version === spoke) ?? -1;
    return documents.config?.lineOf(['spec', 'spokes', at, ...(rule === undefined ? [] : ['rules', rule])]);
  };
  const own = draft.findings.map((found): Finding => {
    const line = lineOf(found);
    return { of: 'config', diagnostic: line === undefined ? found : { ...found, line } };
  });
  const analysed = draft.analysis.diagnostics
    .filter(({ severity }) => severity === 'error')
    .map((diagnostic): Finding => ({ of: 'config', diagnostic }));
  const of = (severity: string) => own.filter(({ diagnostic }) => diagnostic.severity === severity);
  const refused = hasErrors(draft.findings);
  const draftTexts = { config: { name: 'draft', text: '' } };
  return {
    errors: refused ? renderFindings(of('error'), texts, io) : renderFindings(analysed, draftTexts, io),
    warnings: renderFindings(of('warning'), texts, io),
  };
}

function afterwards({ config, to }: { config: string; to: string }, { schema }: Given): string {
  const flag = schema?.source === 'XRD' ? 'referenceable' : 'storage';
  const stored = schema?.versions.some(({ name, storage }) => name === to && storage);
  const next = stored ? '' : `note: the draft is for a schema in which ${to} has ${flag}: true\n`;
  return `note: the comments of ${config} are not kept\n${next}`;
}
