import { placeOf, TemplateError } from './template-error.ts';

/** The variables of one template body while it is compiled; each declaration has a slot of its own. */
export class Scope {
  readonly text: string;
  /** Scopes around the current position: a block has one for its own variables and one for each body. */
  level = 0;
  #visible: { readonly name: string; readonly slot: number }[] = [{ name: '$', slot: 0 }];
  #slots = 1;

  constructor(text: string) {
    this.text = text;
  }

  get slots(): number {
    return this.#slots;
  }

  /** The slot of the innermost variable of this name. */
  slot(name: string, offset: number): number {
    const found = this.#visible.findLast((variable) => variable.name === name);
    if (!found) throw this.problem(offset, `the variable ${name} is not declared; declare it with {{${name} := …}}`);
    return found.slot;
  }

  declare(name: string): number {
    const slot = this.#slots++;
    this.#visible.push({ name, slot });
    return slot;
  }

  /** Compiles a block; variables that it declares end with it. */
  block<T>(compile: () => T): T {
    const visible = this.#visible.length;
    this.level++;
    const result = compile();
    this.level--;
    this.#visible.length = visible;
    return result;
  }

  problem(offset: number, detail: string): TemplateError {
    return new TemplateError('parse', detail, placeOf(this.text, offset));
  }
}
