/**
 * Bounds of one template. They are far above real templates (a few actions, some hundred characters of output) and keep
 * the worst template to some milliseconds and a few MiB.
 */

/** Characters of a template's text. */
export const MAX_TEXT = 64 * 1024;

/** Characters of the output, and of the text that one function makes. */
export const MAX_OUTPUT = 1024 * 1024;

/** Operands, functions and pieces of text evaluated in one rendering; work on long text counts too. */
export const MAX_STEPS = 100_000;

/** Blocks and parentheses inside each other, and templates that call templates. */
export const MAX_DEPTH = 100;

/**
 * Nesting over all templates of a call chain, one for a call and two for each block around it: together with
 * {@link MAX_DEPTH} this is what the stack must hold (about 200 KiB of V8's 984).
 */
export const MAX_LEVELS = 600;
