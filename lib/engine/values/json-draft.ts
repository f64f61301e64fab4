import { getOwn, isArray, isObject, type Json, type JsonObject, type MutableObject, setOwn } from '../json.ts';
import { parseIndex, type Tokens } from './json-pointer.ts';

type Container = MutableObject | Json[];

/** A copy of an object that copies only the containers on the way to what is changed. */
export class Draft {
  root: MutableObject;
  private owned = new Set<Container>();

  constructor(source: JsonObject) {
    this.root = { ...source };
    this.owned.add(this.root);
  }

  /** Takes on what was done to a draft of this draft. */
  adopt(other: Draft): void {
    this.root = other.root;
    this.owned = other.owned;
  }

  get(tokens: Tokens): Json | undefined {
    let value: Json | undefined = this.root;
    for (const token of tokens) {
      if (value === undefined) return undefined;
      value = childOf(value, token);
    }
    return value;
  }

  has(tokens: Tokens): boolean {
    return isObject(this.get(tokens.slice(0, -1))) && this.get(tokens) !== undefined;
  }

  private canAdd(tokens: Tokens): boolean {
    const parent = this.get(tokens.slice(0, -1));
    if (!isArray(parent)) return isObject(parent);
    const token = tokens.at(-1) as string;
    const index = token === '-' ? parent.length : parseIndex(token, parent.length + 1);
    return index !== undefined && index >= 0 && index <= parent.length;
  }

  /** Makes the objects on the way to a path where nothing, or null, is. */
  makeParents(tokens: Tokens): void {
    for (let length = 1; length < tokens.length; length++) {
      const parent = tokens.slice(0, length);
      const value = this.get(parent);
      if (value !== undefined && value !== null) continue;
      if (value === null) this.replace(parent, {});
      else if (!isObject(this.get(parent.slice(0, -1))) || !this.add(parent, {})) return;
    }
  }

  add(tokens: Tokens, value: Json): boolean {
    if (!this.canAdd(tokens)) return false;
    const parent = this.writable(tokens.slice(0, -1));
    const token = tokens.at(-1) as string;
    if (Array.isArray(parent)) {
      parent.splice(token === '-' ? parent.length : (parseIndex(token, parent.length + 1) as number), 0, value);
    } else {
      setOwn(parent, token, value);
    }
    return true;
  }

  replace(tokens: Tokens, value: Json): boolean {
    if (this.get(tokens) === undefined) return false;
    const parent = this.writable(tokens.slice(0, -1));
    const token = tokens.at(-1) as string;
    if (Array.isArray(parent)) parent[parseIndex(token, parent.length) as number] = value;
    else setOwn(parent, token, value);
    return true;
  }

  remove(tokens: Tokens): Json | undefined {
    const value = this.get(tokens);
    if (value === undefined) return undefined;
    const parent = this.writable(tokens.slice(0, -1));
    const token = tokens.at(-1) as string;
    if (Array.isArray(parent)) parent.splice(parseIndex(token, parent.length) as number, 1);
    else delete parent[token];
    return value;
  }

  /** The container at a path that exists, copied unless it is ours already. */
  private writable(tokens: Tokens): Container {
    let node: Container = this.root;
    for (const token of tokens) {
      const child = childOf(node as Json, token) as Container;
      const key = Array.isArray(node) ? (parseIndex(token, node.length) as number) : token;
      if (this.owned.has(child)) {
        node = child;
        continue;
      }
      const copy: Container = Array.isArray(child) ? [...child] : { ...child };
      this.owned.add(copy);
      (node as Record<string | number, Json>)[key] = copy;
      node = copy;
    }
    return node;
  }
}

function childOf(value: Json, token: string): Json | undefined {
  if (isObject(value)) return getOwn(value, token);
  if (!isArray(value)) return undefined;
  const index = parseIndex(token, value.length);
  return index === undefined ? undefined : value[index];
}
