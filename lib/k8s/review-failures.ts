import { getOwn, isObject, type JsonObject } from '../engine/json.ts';

/** How many failing objects an answer names (R58). */
const NAMED = 10;
/** Characters of one object's message, so that ten of them stay a small answer. */
export const MAX_MESSAGE = 1024;
/** The longest name that Kubernetes gives anything. */
const MAX_NAME = 253;

/** The failing objects of a review: the first ten in words, the rest counted. */
export class FailureList {
  readonly #objects: number;
  readonly #messages: string[] = [];
  #total = 0;
  #malformed = 0;

  /** @param objects how many objects the review holds */
  constructor(objects: number) {
    this.#objects = objects;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether all that failed was no object at all: the sender's fault, not the plan's. */
  get onlyMalformed(): boolean {
    return this.#total === this.#malformed;
  }

  add(message: string): void {
    this.#total++;
    if (this.#messages.length < NAMED) this.#messages.push(cut(message, MAX_MESSAGE));
  }

  addMalformed(message: string): void {
    this.#malformed++;
    this.add(message);
  }

  render(): string {
    const named = this.#messages.join('; ');
    if (this.#objects === 1) return named;
    const unnamed = this.#total - this.#messages.length;
    return `${this.#total} of ${this.#objects} objects failed: ${named}${unnamed > 0 ? `; and ${unnamed} more` : ''}`;
  }
}

/** An object as messages name it: `Widget ns/name (uid 1b4e…, item 3)`; without uid or namespace where it has none. */
export function describeObject(object: JsonObject, index: number): string {
  const metadata = getOwn(object, 'metadata');
  const text = (source: JsonObject, key: string) => {
    const value = getOwn(source, key);
    return typeof value === 'string' ? cut(value) : '';
  };
  const meta = isObject(metadata) ? metadata : {};
  const [namespace, name, uid] = [text(meta, 'namespace'), text(meta, 'name'), text(meta, 'uid')];
  const identity = [namespace, name].filter((part) => part !== '').join('/');
  const where = uid === '' ? `(item ${index})` : `(uid ${uid}, item ${index})`;
  return [text(object, 'kind') || 'object', identity, where].filter((part) => part !== '').join(' ');
}

/** At most `length` characters, and no half of a surrogate pair at the end. */
export function cut(text: string, length = MAX_NAME): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
