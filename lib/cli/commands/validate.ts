import { hasErrors } from '../../engine/diagnostic.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { BATCH_FLAGS, BATCH_ONE_OF, type Judged, judgeAll } from '../input/batch.ts';
import { failed, printFindings, REPORT_FLAG } from '../output/report.ts';

/** JSON of `validate`; `errors` are texts, as scripts of the Go tool read them, `diagnostics` all that is known. */
function toJson({ name, config, schema, findings }: Judged) {
  const diagnostics = findings.map(({ of, diagnostic }) => ({ of, ...diagnostic }));
  return {
    file: name,
    config: config?.name ?? '',
    structurallyValid: config !== undefined && !hasErrors(diagnostics),
    schemaValidated: schema !== undefined,
    errors: diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    diagnostics,
  };
}

export const validate = defineCommand({
  name: 'validate',
  group: 'Author',
  summary: 'check a config, and with its schema every path in it',
  description:
    'Without a schema only the form of the rules is checked. A schema is the file that --crd or --xrd names, or one ' +
    'that stands beside the config in the same file or folder. Exit code 1 means errors; warnings alone do not fail.',
  flags: { ...BATCH_FLAGS, output: REPORT_FLAG },
  oneOf: BATCH_ONE_OF,
  examples: [
    { what: 'The form of a config', command: 'validate -c config.yaml' },
    { what: 'Its rules, against the CRD', command: 'validate -c config.yaml --crd crd.yaml' },
    { what: 'Every config of a folder, with the CRDs and XRDs in it', command: 'validate -f deploy/' },
    { what: 'Annotations in a pull request', command: 'validate -f deploy/ -o github' },
  ],
  async run({ flags }, io) {
    const batch = await judgeAll(flags, io);
    printFindings(batch, flags.output, io, {
      toJson,
      toText: ({ name, schema, findings }) => {
        if (hasErrors(findings.map(({ diagnostic }) => diagnostic))) return '';
        return `${name}: valid${schema ? '' : ', as far as its form shows without a schema'}\n`;
      },
    });
    return failed(batch) ? EXIT.finding : EXIT.ok;
  },
});
