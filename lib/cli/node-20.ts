import { AppError } from '../errors.ts';

/** Node.js 20 has no iterator helpers (22 has): those that the sources use. */
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

/**
 * It cannot keep an integer beyond 2^53 in JSON either: it has no `JSON.rawJSON` to write one, and no source text for
 * revivers to read one. YAML has no need of them.
 */
const json = JSON as { rawJSON?: (text: string) => unknown };
if (json.rawJSON === undefined) {
  const { parse } = JSON;
  const refuse = (): never => {
    const { version } = process;
    throw new AppError('UNPROCESSABLE', `integers beyond 2^53 in JSON need Node.js 22 or newer; this is ${version}`);
  };
  json.rawJSON = refuse;
  // Only exact numbers are read with the source text, after a first reading has found that digits may be lost.
  JSON.parse = (text: string, reviver?: Parameters<typeof parse>[1]) =>
    parse(text, reviver && reviver.length > 2 ? refuse : reviver);
}
