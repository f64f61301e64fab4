import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import type { DocumentPath } from '../engine/values/path-text.ts';
import { YamlError } from './yaml-error.ts';
import { isBeyondJson, keyText, plainValue } from './yaml-schema.ts';

/** Where things stand in one document of a YAML text. */
export interface Marks {
  /** Offset of the key or list item at a path, or of what an alias or a merge key brought there. */
  offsetOf(path: DocumentPath): number | undefined;
}

interface Node {
  /** Characters and nodes of the value with every alias written out. */
  weight: number;
  closed: boolean;
  /** By key, or by index in a list. */
  readonly entries: Map<string, Place>;
  readonly list: boolean;
}

interface Place {
  readonly offset: number;
  readonly node: Node;
}

interface Frame {
  readonly kind: Event['type'];
  readonly place: Place;
  /** The key that waits for its value; `null` for a merge key. */
  key?: { readonly text: string | null; readonly offset: number } | undefined;
}

/** What all aliases of a text may expand to; a few hundred bytes can ask for gigabytes ("billion laughs"). */
const MAX_EXPANDED = 16 * 1024 * 1024;

/**
 * Walks the parser's events before any value is made: records where everything stands, and refuses what js-yaml would
 * let through, since it shares aliased values instead of writing them out.
 *
 * @throws YamlError for an expansion over the limit, an anchor that contains itself, and a number that JSON cannot hold.
 */
export function markDocuments(events: readonly Event[], source: string, lineAt: (offset: number) => number): Marks[] {
  const walker = new EventWalker(source, lineAt);
  for (const event of events) walker.visit(event);
  return walker.documents;
}

class EventWalker {
  readonly documents: Marks[] = [];
  readonly #source: string;
  readonly #lineAt: (offset: number) => number;
  readonly #frames: Frame[] = [];
  #anchors = new Map<string, Node>();

  constructor(source: string, lineAt: (offset: number) => number) {
    this.#source = source;
    this.#lineAt = lineAt;
  }

  visit(event: Event): void {
    if (event.type === EVENT_ID.POP) this.#close();
    else if (event.type === EVENT_ID.ALIAS) this.#alias(this.#source.slice(event.anchorStart, event.anchorEnd), event);
    else if (event.type === EVENT_ID.SCALAR) this.#scalar(event);
    else this.#open(event);
  }

  #open(event: Exclude<Event, ScalarEvent>): void {
    const node = createNode(1, event.type === EVENT_ID.SEQUENCE);
    if (event.type === EVENT_ID.DOCUMENT) this.#anchors = new Map();
    else if ('anchorStart' in event) this.#anchor(event, node);
    this.#frames.push({ kind: event.type, place: { offset: 'start' in event ? event.start : -1, node } });
  }

  #close(): void {
    const { kind, place } = this.#frames.pop() as Frame;
    place.node.closed = true;
    if (kind !== EVENT_ID.DOCUMENT) this.#add(place, undefined);
    else this.documents.push({ offsetOf: (path) => findOffset(place.node.entries.get('0'), path) });
  }

  #scalar(event: ScalarEvent): void {
    const text = getScalarValue(this.#source, event);
    const offset = event.valueStart;
    const plain = event.style === SCALAR_STYLE.PLAIN;
    if (plain && isBeyondJson(text)) {
      throw new YamlError(
        `${text.slice(0, 64)} is a number that JSON cannot hold`,
        this.#lineAt(offset),
        'put it in quotes if it is text',
      );
    }
    const node = createNode(1 + text.length, false);
    node.closed = true;
    this.#anchor(event, node);
    const implicit = plain && event.tagStart === -1;
    this.#add({ offset, node }, implicit && text === '<<' ? null : implicit ? keyText(plainValue(text)) : text);
  }

  #alias(name: string, event: { readonly anchorStart: number }): void {
    const node = this.#anchors.get(name);
    if (!node) return; // The constructor reports it.
    if (!node.closed) throw new YamlError(`anchor "${name}" contains itself`, this.#lineAt(event.anchorStart));
    this.#add({ offset: event.anchorStart, node }, undefined);
    if ((this.#frames.at(-1) as Frame).place.node.weight <= MAX_EXPANDED) return;
    throw new YamlError(
      `aliases expand to more than ${MAX_EXPANDED} characters`,
      this.#lineAt(event.anchorStart),
      'write the repeated part fewer times',
    );
  }

  #anchor(event: { readonly anchorStart: number; readonly anchorEnd: number }, node: Node): void {
    if (event.anchorStart !== -1) this.#anchors.set(this.#source.slice(event.anchorStart, event.anchorEnd), node);
  }

  /** Puts a finished node into the innermost open collection; `key` is its text where it stands for a key. */
  #add(place: Place, key: string | null | undefined): void {
    const frame = this.#frames.at(-1) as Frame;
    const { node } = frame.place;
    node.weight += place.node.weight;
    if (frame.kind !== EVENT_ID.MAPPING) node.entries.set(String(node.entries.size), place);
    else if (!frame.key) frame.key = { text: key === undefined ? '' : key, offset: place.offset };
    else {
      if (frame.key.text === null) merge(node, place.node);
      else node.entries.set(frame.key.text, { offset: frame.key.offset, node: place.node });
      frame.key = undefined;
    }
  }
}

function createNode(weight: number, list: boolean): Node {
  return { weight, closed: false, entries: new Map(), list };
}

/** A merge key takes one mapping or a list of them; what is there already stays. */
function merge(node: Node, source: Node): void {
  const mappings = source.list ? [...source.entries.values()].map((item) => item.node) : [source];
  for (const { entries } of mappings) {
    for (const [key, place] of entries) {
      if (!node.entries.has(key)) node.entries.set(key, place);
    }
  }
}

function findOffset(root: Place | undefined, path: DocumentPath): number | undefined {
  let place = root;
  for (const segment of path) place = place?.node.entries.get(String(segment));
  return place && place.offset >= 0 ? place.offset : undefined;
}
