/** The six flat abilities: none implies another, except `root`, which satisfies all. */
export const ABILITIES = ['read', 'read:sensitive', 'write', 'write:sensitive', 'deploy', 'root'] as const;
export type Ability = (typeof ABILITIES)[number];

export function isAbility(text: string): text is Ability {
  return (ABILITIES as readonly string[]).includes(text);
}

/** Whether somebody with these abilities may do what needs that one. */
export function holds(abilities: readonly Ability[], wanted: Ability): boolean {
  return abilities.includes(wanted) || abilities.includes('root');
}
