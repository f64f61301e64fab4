import * as fc from 'fast-check';
import type { Path } from '../../../lib/engine/path.ts';
import type { Side } from '../../../lib/engine/strategy.ts';
import { anyTyped, entryAt, json, NOTHING, orNull } from './json-arbitraries.ts';
import { field, type Kit, LOSSY_RULE, type Piece, text } from './piece.ts';

const BLOCKS = { DefaultValue: 'defaultValue', Constant: 'constant', Delete: 'delete' } as const;
const VALUES = { DefaultValue: 'default', Constant: 'value', Delete: undefined } as const;

/** A field that one side has, and the other can give at most a value of the rule's own. */
function oneSided(strategy: keyof typeof BLOCKS): Kit {
  const key = VALUES[strategy];
  return (spot) =>
    fc
      .tuple(anyTyped, fc.constantFrom<Side>('hub', 'spoke'), json, fc.boolean())
      .map(([{ node, values }, owner, value, deep]): Piece => {
        const path: Path = deep ? [...field(spot, 'p'), 'x'] : field(spot, 'd');
        const owning: Piece['hub'] = { declares: [[path, node]], values: entryAt(path, orNull(values)) };
        const other: Piece['hub'] = { declares: [], values: NOTHING };
        const gains = key === undefined ? [] : [path];
        const existsOn = owner === 'hub' ? 'Hub' : 'Spoke';
        const params = { path: text(path), existsOn, ...(key === undefined ? {} : { [key]: value }) };
        return {
          strategy,
          rule: { ...LOSSY_RULE, strategy, [BLOCKS[strategy]]: params },
          hub: owner === 'hub' ? owning : other,
          spoke: owner === 'spoke' ? owning : other,
          lossless: false,
          returns: { hub: owner === 'spoke', spoke: owner === 'hub' },
          flows: { hubToSpoke: [], spokeToHub: [] },
          injects: { hubToSpoke: owner === 'spoke' ? gains : [], spokeToHub: owner === 'hub' ? gains : [] },
        };
      });
}

export const defaultValue = oneSided('DefaultValue');
export const constant = oneSided('Constant');
export const deleteField = oneSided('Delete');
