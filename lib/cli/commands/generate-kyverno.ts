import { getOwn, isObject, type JsonObject } from '../../engine/json.ts';
import { isLabelKey } from '../../engine/values/label.ts';
import { AppError } from '../../errors.ts';
import type { Target } from '../../k8s/target.ts';
import { type Composite, labelCompositions, selectVersion } from '../authoring/kyverno/policies.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { readSchemaFile, SCHEMA_FLAGS } from '../input/conversion.ts';
import { DOCUMENT_FLAG, printDocuments } from '../output/document.ts';

const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

export const generateKyverno = defineCommand({
  name: 'generate kyverno',
  group: 'Author',
  summary: 'make two Kyverno policies that move Crossplane composites to the Compositions of a version',
  description:
    "When the referenceable version of an XRD changes, its composites still have a Composition of the old one. The first policy labels every Composition of the type with the version in its compositeTypeRef. The second makes composites forget their Composition (compositionRef, compositionRevisionRef) and select by that label, with --to as its value; other labels of the selector stay. With --from it changes only composites whose selector has that version, else all that do not select --to, new ones too. Both act on requests and, once, on what is there; Kyverno's background controller needs the right to update Compositions and the composites for that. Kyverno has to know policies.kyverno.io/v1.",
  flags: {
    xrd: { ...SCHEMA_FLAGS.xrd, required: true, summary: 'the CompositeResourceDefinition' },
    to: { value: 'VERSION', required: true, summary: 'the version whose Compositions are to be used' },
    from: { value: 'VERSION', summary: 'change only composites that select this version' },
    labelKey: { value: 'KEY', default: 'xrd-api-version', summary: 'the label of Compositions' },
    compositionPolicyName: { value: 'NAME', summary: 'of the first policy; label-compositions-<plural>' },
    migratePolicyName: { value: 'NAME', summary: 'of the second; set-composition-version-selector-<plural>' },
    output: DOCUMENT_FLAG,
  },
  examples: [
    { what: 'After v2 became the referenceable version', command: 'generate kyverno -x xrd.yaml --from v1 --to v2' },
  ],
  async run({ flags }, io) {
    const { resource, target } = await readSchemaFile(flags.xrd, io);
    if (target.source !== 'XRD') {
      throw new AppError('BAD_REQUEST', `${flags.xrd} is a CRD: only composites of an XRD have Compositions`);
    }
    checkVersions(target, { '--to': flags.to, '--from': flags.from });
    if (flags.from === flags.to) throw new AppError('BAD_REQUEST', '--from and --to are the same version');
    if (!isLabelKey(flags.labelKey)) throw new AppError('BAD_REQUEST', `--label-key ${flags.labelKey} is no label key`);
    for (const name of [flags.compositionPolicyName, flags.migratePolicyName]) {
      if (name !== undefined && !NAME.test(name)) throw new AppError('BAD_REQUEST', `${name} is no name of a policy`);
    }
    const { group, kind, plural } = target;
    const composite: Composite = { group, kind, plural, machinery: machineryOf(resource.value) };
    await printDocuments(io, flags.output, [labelCompositions(composite, flags), selectVersion(composite, flags)]);
    return EXIT.ok;
  },
});

function checkVersions({ name, versions }: Target, given: Readonly<Record<string, string | undefined>>): void {
  const served = versions.filter((version) => version.served).map((version) => version.name);
  if (served.length === 0) throw new AppError('BAD_REQUEST', `${name} serves no version`);
  for (const [flag, version] of Object.entries(given)) {
    if (version === undefined || versions.some((known) => known.name === version)) continue;
    const known = versions.map((one) => one.name).join(', ');
    throw new AppError('BAD_REQUEST', `${flag} ${version} is no version of ${name}: it has ${known}`);
  }
}

/** Crossplane 2 keeps its own fields apart, but not for XRDs of the first generation. */
function machineryOf(xrd: JsonObject): readonly string[] {
  const spec = getOwn(xrd, 'spec');
  const scope = isObject(spec) ? getOwn(spec, 'scope') : undefined;
  const modern = String(getOwn(xrd, 'apiVersion')).endsWith('/v2') && scope !== 'LegacyCluster';
  return modern ? ['spec', 'crossplane'] : ['spec'];
}
