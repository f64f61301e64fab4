import { isDeepStrictEqual } from 'node:util';
import type { Side } from '../../../lib/engine/strategy.ts';
import type { KubeClient, KubeReply } from '../support/kube-client.ts';
import type { Content, Contents, Form } from './contents.ts';

const VERSIONS = { hub: 'v2', spoke: 'v1' } as const;
const MANAGERS = { hub: 'hub-team', spoke: 'spoke-team' } as const;
const opposite = (side: Side): Side => (side === 'hub' ? 'spoke' : 'hub');

export const STEPS = ['apply', 'again', 'drop one', 'drop all', 'take back', 'conflict', 'force', 'give up'] as const;
export type Step = (typeof STEPS)[number];

/** Who applies the fields of the rule, and which of the two managers sets labels. */
export interface Variant {
  readonly owner: Side;
  readonly labelled: Readonly<Record<Side, boolean>>;
}

export interface Finding {
  readonly step: Step;
  /** What is not as it should be; empty when all is well. */
  readonly faults: readonly string[];
}

interface Kind {
  readonly client: KubeClient;
  /** `apiVersion` without the version, `kind` and plural. */
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
}

/** What a manager applies: content of the rule, and a field of its own that no rule touches. */
interface Part {
  readonly content?: Content;
  readonly own: boolean;
}

const NOTHING: Part = { own: false };

/**
 * Two managers apply one object at two versions, step by step. After each step both versions must hold exactly what the
 * managers have applied last, and `managedFields` must name those and no others.
 */
export async function playScenario(kind: Kind, variant: Variant, row: Contents): Promise<Finding[]> {
  const { owner } = variant;
  const other = opposite(owner);
  const play = createPlay(kind, variant);
  const own: Part = { own: true };
  const full: Part = { content: row.full, own: true };
  const findings: Finding[] = [];
  const record = async (step: Step, ...faults: readonly (readonly string[])[]) => {
    findings.push({ step, faults: [...faults.flat(), ...(await play.compare())] });
  };
  await record('apply', await play.apply(owner, full), await play.apply(other, own));
  await record('again', await play.apply(owner, full));
  const less = row.lessAt === undefined || row.lessAt === owner ? row.less : undefined;
  await record('drop one', await play.apply(owner, less === undefined ? own : { content: less, own: true }));
  await record('drop all', await play.apply(owner, NOTHING));
  await record('take back', await play.apply(owner, full));
  if (row.other === undefined) return findings;
  const wanted: Part = { content: row.other, own: true };
  await record('conflict', await play.conflict(other, wanted));
  await record('force', await play.force(other, wanted));
  await record('give up', await play.apply(other, own));
  return findings;
}

function createPlay({ client, group, kind, plural }: Kind, { owner, labelled }: Variant) {
  const name = `by-${owner}-${labelled.hub ? 'l' : 'n'}${labelled.spoke ? 'l' : 'n'}`;
  const path = (side: Side) => `/apis/${group}/${VERSIONS[side]}/namespaces/default/${plural}/${name}`;
  const parts: Record<Side, Part> = { hub: NOTHING, spoke: NOTHING };
  /** What the manager of one side has applied, as the other or the same side shows it. */
  const formOf = (manager: Side, part: Part, at: Side): Form[] => [
    ...(part.content ? [part.content[at]] : []),
    ...(part.own ? [{ spec: { [manager]: 'own' } }] : []),
    ...(part.own && labelled[manager] ? [{ labels: { [manager]: 'own' } }] : []),
  ];
  const send = (side: Side, part: Part, force: boolean): Promise<KubeReply> => {
    const dropped = side === 'spoke' && part.content?.dropped;
    const { spec, ...metadata } = merge([...formOf(side, part, side), ...(dropped ? [{ spec: dropped }] : [])]);
    const body = {
      apiVersion: `${group}/${VERSIONS[side]}`,
      kind,
      metadata: { name, ...metadata },
      ...(spec && { spec }),
    };
    return client.apply(path(side), body, { manager: MANAGERS[side], force });
  };
  const put = async (side: Side, part: Part, force: boolean): Promise<string[]> => {
    const { status, body } = await send(side, part, force);
    if (status > 299) return [`apply at the ${side} was refused: ${body.message}`];
    parts[side] = part;
    return [];
  };
  return {
    apply: (side: Side, part: Part) => put(side, part, false),
    async force(side: Side, part: Part) {
      const faults = await put(side, part, true);
      if (faults.length === 0) parts[opposite(side)] = { own: true };
      return faults;
    },
    async conflict(side: Side, part: Part): Promise<string[]> {
      const { status, body } = await send(side, part, false);
      const named = String(body.message).includes(`"${MANAGERS[opposite(side)]}"`);
      return status === 409 && named ? [] : [`a conflict was expected, not ${status} ${body.message ?? ''}`];
    },
    async compare(): Promise<string[]> {
      const faults: string[] = [];
      for (const at of ['hub', 'spoke'] as const) {
        const { metadata, spec } = await client.ask('GET', path(at));
        const found = { spec, labels: metadata.labels, annotations: metadata.annotations };
        const expected = merge((['hub', 'spoke'] as const).flatMap((side) => formOf(side, parts[side], at)));
        for (const key of ['spec', 'labels', 'annotations'] as const) {
          if (!isDeepStrictEqual(found[key], expected[key])) {
            faults.push(`${key} at the ${at} is ${text(found[key])}, not ${text(expected[key])}`);
          }
        }
        const entries: any[] = metadata.managedFields ?? [];
        const managers = new Set(entries.map(({ manager }) => manager));
        const owners = (['hub', 'spoke'] as const).filter((side) => formOf(side, parts[side], side).length > 0);
        const named = owners.map((side) => MANAGERS[side]);
        if (!isDeepStrictEqual(managers, new Set(named))) faults.push(`managers are ${[...managers]}, not ${named}`);
        for (const side of owners.filter((candidate) => parts[candidate].own)) {
          const entry = entries.find(({ manager }) => manager === MANAGERS[side]);
          const owns = entry?.operation === 'Apply' && entry.fieldsV1['f:spec']?.[`f:${side}`] !== undefined;
          if (!owns) faults.push(`${MANAGERS[side]} does not own spec.${side}`);
        }
      }
      return faults;
    },
  };
}

/** One form of several that do not overlap; parts that nobody has are absent. */
function merge(forms: readonly Form[]): Form {
  const merged: Record<string, object> = {};
  for (const form of forms) {
    for (const [key, value] of Object.entries(form)) merged[key] = { ...merged[key], ...value };
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => Object.keys(value).length > 0));
}

const text = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value));
