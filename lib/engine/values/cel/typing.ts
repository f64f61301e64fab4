import { getOwn, isObject, type JsonObject } from '../../json.ts';

/** What a JSON number becomes: a declared `integer` an int, a `number` a double, an undeclared one what it looks like. */
export type NumberKind = 'int' | 'double' | 'either';

/**
 * The part of a schema that CEL's types depend on: which numbers are integers (D7). Children are made on first use and
 * kept only for declared fields, so its size is bounded by the schema's.
 */
export class Typing {
  readonly number: NumberKind;
  readonly #properties: JsonObject;
  readonly #children = new Map<string, Typing>();
  readonly #schema: JsonObject;
  #additional: Typing | undefined;
  #item: Typing | undefined;

  constructor(schema: JsonObject) {
    const type = getOwn(schema, 'type');
    const properties = getOwn(schema, 'properties');
    this.number = type === 'integer' ? 'int' : type === 'number' ? 'double' : 'either';
    this.#schema = schema;
    this.#properties = isObject(properties) ? properties : {};
  }

  property(key: string): Typing {
    const known = this.#children.get(key);
    if (known !== undefined) return known;
    const schema = getOwn(this.#properties, key);
    if (!isObject(schema)) {
      this.#additional ??= this.#child('additionalProperties');
      return this.#additional;
    }
    const child = new Typing(schema);
    this.#children.set(key, child);
    return child;
  }

  get item(): Typing {
    this.#item ??= this.#child('items');
    return this.#item;
  }

  #child(keyword: string): Typing {
    const schema = getOwn(this.#schema, keyword);
    return isObject(schema) ? new Typing(schema) : UNTYPED;
  }
}

/** Typing of data that no schema declares. */
const UNTYPED = new Typing({});
