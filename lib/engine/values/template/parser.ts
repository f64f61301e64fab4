import type { Node, Pipeline, Program } from './ast.ts';
import { parsePipeline } from './expression-parser.ts';
import { unquote } from './literal.ts';
import type { TemplateError } from './template-error.ts';
import { TokenReader } from './token-reader.ts';

interface State {
  readonly reader: TokenReader;
  readonly templates: Map<string, readonly Node[]>;
  /** Ranges around the current position in this template's body: `break` needs one. */
  ranges: number;
}

/** How a body ended: the action that ended it is consumed, of `else` only the keyword. */
interface Body {
  readonly nodes: Node[];
  readonly stop: 'end' | 'else' | 'eof';
  readonly offset: number;
}

/** Syntax only: names of functions, variables and templates are resolved when the program is compiled. */
export function parseProgram(text: string): Program {
  const state: State = { reader: new TokenReader(text), templates: new Map(), ranges: 0 };
  const { nodes, stop, offset } = parseBody(state, true);
  if (stop !== 'eof') throw state.reader.problem(offset, `{{${stop}}} without an if, with, range, define or block`);
  return { text, main: nodes, templates: state.templates };
}

function parseBody(state: State, top = false): Body {
  const { reader } = state;
  const nodes: Node[] = [];
  for (;;) {
    const { kind, text, offset } = reader.next();
    if (kind === 'end') return { nodes, stop: 'eof', offset };
    if (kind === 'text') {
      nodes.push({ type: 'text', text });
      continue;
    }
    const first = reader.peek();
    if (first.kind !== 'keyword') {
      nodes.push({ type: 'action', pipeline: parsePipeline(reader, 'action') });
    } else if (first.text === 'end' || first.text === 'else') {
      reader.next();
      if (first.text === 'end') expectClose(reader, 'end');
      return { nodes, stop: first.text, offset };
    } else if (first.text === 'define') {
      if (!top) throw reader.problem(offset, 'define must stand at the top level of the template');
      reader.next();
      parseDefinition(state, parseName(reader, 'define'), offset, () => expectClose(reader, 'define'));
    } else {
      nodes.push(parseControl(state, offset));
    }
  }
}

function parseControl(state: State, open: number): Node {
  const { reader } = state;
  const { text: keyword, offset } = reader.peek();
  switch (keyword) {
    case 'if':
    case 'with':
      reader.next();
      return parseBranch(state, keyword, open);
    case 'range':
      reader.next();
      return parseRange(state, open);
    case 'template':
    case 'block':
      reader.next();
      return parseTemplateCall(state, keyword, open);
    case 'break':
    case 'continue':
      reader.next();
      expectClose(reader, keyword);
      if (state.ranges === 0) throw reader.problem(offset, `${keyword} outside a range`);
      return { type: keyword };
    default:
      // true, false and nil are values.
      return { type: 'action', pipeline: parsePipeline(reader, 'action') };
  }
}

function parseBranch(state: State, keyword: 'if' | 'with', open: number): Node {
  const { reader } = state;
  return reader.nested(open, () => {
    const arms: { pipeline: Pipeline; body: readonly Node[] }[] = [];
    for (;;) {
      const pipeline = parsePipeline(reader, keyword);
      const { nodes, stop } = parseBody(state);
      arms.push({ pipeline, body: nodes });
      if (stop === 'eof') throw unclosed(reader, keyword, open);
      if (stop === 'else' && reader.peek().text === keyword) {
        reader.next();
        continue;
      }
      const otherwise = stop === 'else' ? parseElse(state, keyword, open) : [];
      return { type: 'branch', setsDot: keyword === 'with', arms, otherwise };
    }
  });
}

function parseRange(state: State, open: number): Node {
  const { reader } = state;
  return reader.nested(open, () => {
    const pipeline = parsePipeline(reader, 'range');
    state.ranges++;
    const { nodes, stop } = parseBody(state);
    state.ranges--;
    if (stop === 'eof') throw unclosed(reader, 'range', open);
    const otherwise = stop === 'else' ? parseElse(state, 'range', open) : [];
    return { type: 'range', pipeline, body: nodes, otherwise, offset: open };
  });
}

function parseElse(state: State, keyword: string, open: number): Node[] {
  const { reader } = state;
  expectClose(reader, `else of ${keyword}`);
  const { nodes, stop, offset } = parseBody(state);
  if (stop === 'eof') throw unclosed(reader, keyword, open);
  if (stop === 'else') throw reader.problem(offset, `${keyword} has a second else`);
  return nodes;
}

/** `template`, and `block`: a definition that is called where it stands. */
function parseTemplateCall(state: State, keyword: 'template' | 'block', open: number): Node {
  const { reader } = state;
  const name = parseName(reader, keyword);
  if (keyword === 'template' && reader.peek().kind === 'close') {
    reader.next();
    return { type: 'template', name, offset: open };
  }
  const pipeline = parsePipeline(reader, keyword);
  if (keyword === 'block') parseDefinition(state, name, open, () => {});
  return { type: 'template', name, pipeline, offset: open };
}

function parseDefinition(state: State, name: string, open: number, head: () => void): void {
  const { reader, templates, ranges } = state;
  head();
  state.ranges = 0;
  const { nodes, stop } = reader.nested(open, () => parseBody(state));
  state.ranges = ranges;
  if (stop === 'eof') throw unclosed(reader, 'define or block', open);
  if (stop === 'else') throw reader.problem(open, `the template ${JSON.stringify(name)} has an else of its own`);
  const earlier = templates.get(name);
  if (earlier === undefined || isBlank(earlier)) templates.set(name, nodes);
  else if (!isBlank(nodes)) throw reader.problem(open, `the template ${JSON.stringify(name)} is defined twice`);
}

/** A definition of white space only is one that another may replace. */
function isBlank(nodes: readonly Node[]): boolean {
  return nodes.every((node) => node.type === 'text' && node.text.trim() === '');
}

function parseName(reader: TokenReader, keyword: string): string {
  const { kind, text, offset } = reader.next();
  const name = kind === 'string' || kind === 'raw' ? unquote(text) : undefined;
  if (name === undefined) throw reader.problem(offset, `${keyword} needs a name in quotes: {{${keyword} "name"}}`);
  return name;
}

function expectClose(reader: TokenReader, context: string): void {
  if (reader.peek().kind !== 'close') throw reader.unexpected(context);
  reader.next();
}

function unclosed(reader: TokenReader, keyword: string, open: number): TemplateError {
  return reader.problem(open, `${keyword} has no {{end}}`);
}
