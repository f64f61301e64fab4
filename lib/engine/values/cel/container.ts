import type { Json, JsonObject } from '../../json.ts';
import { Failure } from './error.ts';
import type { NumberKind, Typing } from './typing.ts';
import { type Dictionary, isInt, type Key, type List, Uint, type Value } from './value.ts';

/** A list that the expression made. */
export class ItemList implements List {
  readonly celType = 'list';
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] as Value;
  }
}

/** A map that the expression made. */
export class EntryMap implements Dictionary {
  readonly celType = 'map';
  readonly entries: ReadonlyMap<Key, Value>;

  constructor(entries: ReadonlyMap<Key, Value>) {
    this.entries = entries;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  keys(): readonly Key[] {
    return [...this.entries.keys()];
  }
}

/** A list of the input, seen through its schema. Items are typed when they are read; the JSON itself never changes. */
export class JsonList implements List {
  readonly celType = 'list';
  readonly json: readonly Json[];
  readonly #typing: Typing;

  constructor(json: readonly Json[], typing: Typing) {
    this.json = json;
    this.#typing = typing;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return fromJson(this.json[index] as Json, this.#typing.item);
  }
}

/** An object of the input, seen through its schema. Only own properties are fields. */
export class JsonMap implements Dictionary {
  readonly celType = 'map';
  readonly json: JsonObject;
  readonly #typing: Typing;

  constructor(json: JsonObject, typing: Typing) {
    this.json = json;
    this.#typing = typing;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  get(key: Key): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.json, key)) return undefined;
    return fromJson(this.json[key] as Json, this.#typing.property(key));
  }

  keys(): readonly Key[] {
    return Object.keys(this.json);
  }
}

/** A JSON value as CEL sees it (D7). A value that does not fit its declared type keeps the type that it has. */
function fromJson(json: Json, typing: Typing): Value {
  switch (typeof json) {
    case 'number':
      return fromNumber(json, typing.number);
    case 'bigint':
      return fromBigInt(json);
    case 'object':
      if (json === null) return null;
      return Array.isArray(json) ? new JsonList(json, typing) : new JsonMap(json as JsonObject, typing);
    default:
      return json;
  }
}

function fromNumber(json: number, kind: NumberKind): Value {
  if (kind === 'double') return json;
  if (Number.isSafeInteger(json)) return BigInt(json);
  return kind === 'int' && Number.isInteger(json) && isInt(BigInt(json)) ? BigInt(json) : json;
}

/** Beyond 2^53 a declared `number` is an int too: as a double it would not come out as it went in (D4). */
function fromBigInt(json: bigint): Value {
  if (isInt(json)) return json;
  if (json < 0n) throw new Failure('evaluation', `integer overflow: ${json} is below the 64-bit range`);
  return new Uint(json);
}
