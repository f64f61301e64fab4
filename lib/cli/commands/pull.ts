import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../remote/access.ts';
import { parseRevision } from '../remote/guard.ts';
import { openRoundhouse } from '../remote/roundhouse.ts';

export const pull = defineCommand({
  name: 'pull',
  group: 'Roundhouse',
  summary: 'get a config and its CRD or XRD back, as they were pushed',
  args: { target: { summary: 'the name of the CRD or XRD', required: true } },
  flags: {
    revision: { value: 'N', summary: 'another revision than the active one' },
    dir: {
      short: 'd',
      value: 'DIR',
      summary: 'write config.yaml and crd.yaml (or xrd.yaml) there, instead of printing',
    },
    force: { summary: 'with --dir: overwrite files that differ', needs: 'dir' },
    output: {
      short: 'o',
      value: 'FORMAT',
      default: 'yaml',
      choices: ['yaml', 'json'],
      summary: 'yaml as it was pushed, comments and all, or json (a List, with --dir two files)',
    },
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [
    { what: 'Into files, to edit them', command: 'pull databases.data.example.org --dir databases' },
    { what: 'What revision 3 was', command: 'pull databases.data.example.org --revision 3' },
  ],
  async run({ flags, args }, io) {
    const wanted = flags.revision === undefined ? undefined : parseRevision(flags.revision, '--revision');
    const format = flags.output === 'json' ? 'json' : 'yaml';
    const roundhouse = await openRoundhouse(flags, io);
    const revision = wanted ?? (await roundhouse.config(args.target)).revision;
    const detail = await roundhouse.revision(args.target, revision);
    // Loaded on use: writing YAML would be part of the start of every command.
    const { documentsOf, renderDocuments, writeDocuments } = await import('../remote/documents.ts');
    const documents = documentsOf(detail, format);
    if (flags.dir === undefined) io.out(renderDocuments(documents, format));
    else {
      const written = await writeDocuments(documents, flags.dir, { force: flags.force, io });
      io.out(written.map((path) => `${path}\n`).join(''));
    }
    io.err(`${args.target}: revision ${revision}${detail.active ? ', the active one' : ''}\n`);
    return EXIT.ok;
  },
});
