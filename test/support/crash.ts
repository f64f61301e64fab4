/** The process is gone: what it had called may have happened, and it never learns. */
export class Killed extends Error {
  constructor() {
    super('killed');
    this.name = 'Killed';
  }
}

export interface Executioner {
  /** Side effects so far, in order: `store.put`, `runtime.publish`. */
  readonly effects: string[];
  /** A port whose side effects count, and that kills at the chosen one. */
  wrap<T extends object>(name: string, port: T, reads: readonly (keyof T)[]): T;
}

/**
 * Kills at the `at`-th side effect, before or after it happens. From then on every call of every port rejects: the process
 * does nothing more. Without `at` it only counts.
 */
export function createExecutioner(at?: number, when: 'before' | 'after' = 'before'): Executioner {
  const effects: string[] = [];
  let dead = false;
  const die = (): never => {
    dead = true;
    throw new Killed();
  };
  return {
    effects,
    wrap<T extends object>(name: string, port: T, reads: readonly (keyof T)[]): T {
      const wrapped = Object.entries(port).map(([method, call]) => {
        if (typeof call !== 'function') return [method, call];
        const isEffect = !reads.includes(method as keyof T);
        const run = async (...input: unknown[]): Promise<unknown> => {
          if (dead) throw new Killed();
          if (isEffect) effects.push(`${name}.${method}`);
          const strikes = isEffect && effects.length === at;
          if (strikes && when === 'before') die();
          const result = await Reflect.apply(call, port, input);
          if (strikes) die();
          if (dead) throw new Killed();
          return result;
        };
        return [method, run];
      });
      return Object.fromEntries(wrapped) as T;
    },
  };
}
