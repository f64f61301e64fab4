/**
 * Node.js 20 has no iterator helpers (22 has): those that the sources use. It reads no integer beyond 2^53 from JSON
 * either; those end in an error there.
 */
const helpers = {
  *map(this: Iterable<unknown>, change: (value: unknown, index: number) => unknown) {
    let index = 0;
    for (const value of this) yield change(value, index++);
  },
  *filter(this: Iterable<unknown>, keep: (value: unknown, index: number) => boolean) {
    let index = 0;
    for (const value of this) if (keep(value, index++)) yield value;
  },
  some(this: Iterable<unknown>, test: (value: unknown) => boolean) {
    return Array.from(this).some(test);
  },
  every(this: Iterable<unknown>, test: (value: unknown) => boolean) {
    return Array.from(this).every(test);
  },
  find(this: Iterable<unknown>, test: (value: unknown) => boolean) {
    return Array.from(this).find(test);
  },
  toArray(this: Iterable<unknown>) {
    return Array.from(this);
  },
};

const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object;
for (const [name, value] of Object.entries(helpers)) {
  if (!(name in iterator)) Object.defineProperty(iterator, name, { value, writable: true, configurable: true });
}
