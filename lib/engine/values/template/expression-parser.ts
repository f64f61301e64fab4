import type { Call, Expression, Pipeline } from './ast.ts';
import { characterCode, numberValue, unquote } from './literal.ts';
import type { TemplateError } from './template-error.ts';
import type { TokenReader } from './token-reader.ts';

/** A pipeline up to its closing `}}`, which is consumed. `context` is the keyword it belongs to, or `action`. */
export function parsePipeline(reader: TokenReader, context: string): Pipeline {
  const variables: { name: string; offset: number }[] = [];
  let assigns = false;
  while (isDeclaration(reader)) {
    const { text: name, offset } = reader.next();
    variables.push({ name, offset });
    const { kind } = reader.next();
    if (kind !== 'comma') {
      assigns = kind === 'assign';
      break;
    }
    if (context !== 'range' || variables.length > 1 || !isDeclaration(reader)) {
      throw reader.problem(
        offset,
        'only a range takes variables with a comma, and only two: {{range $index, $item := …}}',
      );
    }
  }
  const value = parseCommands(reader, context, 'close');
  reader.next();
  return { variables, assigns, value };
}

function isDeclaration(reader: TokenReader): boolean {
  if (reader.peek().kind !== 'variable') return false;
  const { kind } = reader.peek(1);
  return kind === 'declare' || kind === 'assign' || kind === 'comma';
}

/** Commands separated by `|`; stops before the closing token. A `|` with nothing behind it is allowed, as in Go. */
function parseCommands(reader: TokenReader, context: string, close: 'close' | 'right'): Expression {
  if (reader.peek().kind === close) throw reader.problem(reader.peek().offset, `${context} needs a value`);
  const first = parseCommand(reader);
  const calls: Call[] = [];
  while (reader.peek().kind === 'pipe') {
    reader.next();
    if (reader.peek().kind === close) break;
    const { kind, text, offset } = reader.peek();
    const command = parseCommand(reader);
    if (kind !== 'identifier' || command.type !== 'call') throw notAFunction(reader, text, offset);
    calls.push(command);
  }
  if (reader.peek().kind !== close) throw reader.unexpected(context);
  return calls.length > 0 ? { type: 'pipe', first, calls } : first;
}

const COMMAND_END = new Set(['pipe', 'close', 'right', 'end']);

function parseCommand(reader: TokenReader): Expression {
  const { kind, text, offset } = reader.peek();
  const first = parseOperand(reader);
  const args: Expression[] = [];
  while (!COMMAND_END.has(reader.peek().kind)) {
    if (!reader.peek().spaced) throw reader.unexpected('an operand; separate operands with spaces');
    args.push(parseOperand(reader));
  }
  if (kind === 'identifier') return { type: 'call', name: text, args, offset };
  if (args.length > 0) throw notAFunction(reader, text, offset);
  if (text === 'nil') throw reader.problem(offset, 'nil can only be an argument of a function');
  return first;
}

function notAFunction(reader: TokenReader, text: string, offset: number): TemplateError {
  return reader.problem(
    offset,
    `${text === '(' ? 'a pipeline in parentheses' : text} is not a function, so it takes no argument`,
  );
}

/** A term and the names behind it: `.a.b`, `$x.a`, `(…).a`. */
function parseOperand(reader: TokenReader): Expression {
  const start = reader.peek();
  const term = parseTerm(reader);
  const names: string[] = [];
  while (reader.peek().kind === 'field' && !reader.peek().spaced) names.push(reader.next().text.slice(1));
  if (names.length === 0) return term;
  if (term.type === 'chain' && start.kind === 'field') return { ...term, names: [...term.names, ...names] };
  if (start.kind !== 'left' && term.type !== 'variable') {
    throw reader.problem(
      start.offset,
      `${start.text} has no fields; put a pipeline in parentheses to take a field of it`,
    );
  }
  return { type: 'chain', base: term, names, offset: start.offset };
}

function parseTerm(reader: TokenReader): Expression {
  const token = reader.next();
  const { kind, text, offset } = token;
  switch (kind) {
    case 'field':
      return { type: 'chain', base: { type: 'dot', offset }, names: [text.slice(1)], offset };
    case 'dot':
      return { type: 'dot', offset };
    case 'variable':
      return { type: 'variable', name: text, offset };
    case 'identifier':
      return { type: 'call', name: text, args: [], offset };
    case 'left':
      return parseParentheses(reader, offset);
    case 'keyword':
      if (text === 'nil') return { type: 'literal', value: null, offset };
      if (text === 'true' || text === 'false') return { type: 'literal', value: text === 'true', offset };
      throw reader.problem(offset, `unexpected ${text}; it must be the first word of its action`);
    default: {
      const value = literalValue(kind, text);
      if (value !== undefined) return { type: 'literal', value, offset };
      throw reader.problem(offset, `unexpected ${describe(kind, text)}`);
    }
  }
}

function literalValue(kind: string, text: string): string | number | bigint | undefined {
  if (kind === 'string' || kind === 'raw') return unquote(text);
  if (kind === 'char') return characterCode(text);
  return kind === 'number' ? numberValue(text) : undefined;
}

function describe(kind: string, text: string): string {
  if (kind === 'string') return `${text}: not a string literal of Go (escapes: \\n \\t \\" \\\\ \\u00e9 \\x41)`;
  if (kind === 'char') return `${text}: not one character of Go`;
  if (kind === 'number') return `${text}: not an integer of 64 bits or a decimal number`;
  return kind === 'end' ? 'end of the template in an action' : text;
}

/** A pipeline in parentheses. It may assign a variable but not declare one: Go would forget it if `and` skipped it. */
function parseParentheses(reader: TokenReader, offset: number): Expression {
  return reader.nested(offset, () => {
    const variable = isDeclaration(reader) ? reader.next() : undefined;
    if (variable && reader.next().kind !== 'assign') {
      throw reader.problem(
        variable.offset,
        `declare ${variable.text} in an action of its own: {{${variable.text} := …}}`,
      );
    }
    const value = parseCommands(reader, 'a pipeline in parentheses', 'right');
    reader.next();
    return variable ? { type: 'assign', name: variable.text, value, offset: variable.offset } : value;
  });
}
