import { suggest as suggestRules } from '../authoring/suggest/suggest.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { CONFIG_FLAG, invalidConversion, readConversion, SCHEMA_FLAGS } from '../input/conversion.ts';
import { DOCUMENT_FLAG, printDocuments } from '../output/document.ts';
import { printable } from '../output/printable.ts';

export const suggest = defineCommand({
  name: 'suggest',
  group: 'Author',
  summary: 'propose rules for the fields that nothing converts',
  description:
    'Proposes TypeCoerce for a scalar of another type at the same path, and FieldRename for fields beside each other whose names are alike. The rules are stubs: read each before you copy it into the config, for a name that is alike can be another thing.',
  flags: { config: CONFIG_FLAG, ...SCHEMA_FLAGS, output: DOCUMENT_FLAG },
  oneOf: [{ flags: ['xrd', 'crd'], required: true }],
  examples: [
    { what: 'Rules for a config that has none yet', command: 'suggest -c config.yaml --crd crd.yaml' },
    { what: 'For a script', command: 'suggest -c config.yaml --crd crd.yaml -o json' },
  ],
  async run({ flags }, io) {
    const given = await readConversion(flags, io);
    const { source, analysis } = given;
    if (source === undefined || analysis === undefined) throw invalidConversion(given, io);
    const suggested = suggestRules(source, analysis);
    const spokes = suggested.filter(({ rules }) => rules.length > 0).map(({ version, rules }) => ({ version, rules }));
    if (spokes.length > 0) await printDocuments(io, flags.output, [{ spokes }]);
    else if (flags.output === 'json') await printDocuments(io, 'json', [{ spokes: null }]);
    else io.out('# nothing to suggest\n');
    for (const { version, left } of suggested) {
      if (left.hub.length > 0)
        io.err(`${printable(`note: ${version}: nothing is like the hub's ${left.hub.join(', ')}`)}\n`);
      if (left.spoke.length > 0)
        io.err(`${printable(`note: ${version}: nothing is like the spoke's ${left.spoke.join(', ')}`)}\n`);
    }
    return EXIT.ok;
  },
});
