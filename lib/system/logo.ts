/**
 * What draws, and what names it. Not here: what runs code (`script`, `animate`, `a`), embeds (`foreignObject`, `image`) or
 * styles the page (`style`).
 */
const ELEMENTS = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'path', 'rect', 'circle', 'ellipse', 'line', 'polyline'],
  ...['polygon', 'text', 'tspan', 'linearGradient', 'radialGradient', 'stop', 'clipPath', 'mask', 'pattern', 'marker'],
]);
/** Functions that an attribute may call; `url(…)` is judged by its argument. All others could load something. */
const FUNCTIONS = new Set([
  ...['matrix', 'translate', 'scale', 'rotate', 'skewX', 'skewY'],
  ...['rgb', 'rgba', 'hsl', 'hsla'],
]);
const NAMESPACES: Readonly<Record<string, string>> = {
  xmlns: 'http://www.w3.org/2000/svg',
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
};

/** In HTML the content of these is HTML, whose elements would swallow the end of the logo and the page behind it. */
const TEXT_ONLY = new Set(['title', 'desc']);
/** A `use` of uses multiplies: 16 of them draw a part 324 times at most (3 × 3 × 3 × 3 × 4), 50 of them 10^8 times. */
const MAX_USES = 16;

const TOKEN = /<[^<>]*>|[^<>]+|[<>]/g;
/** HTML's white space. To it the rest of what `\s` matches is part of a name, so that quotes mean something else. */
const SPACE = '[\\t\\n\\r ]';
const ATTRIBUTE = new RegExp(`${SPACE}+([A-Za-z][\\w:.-]*)${SPACE}*=${SPACE}*(?:"([^"]*)"|'([^']*)')`, 'g');
const TAG = new RegExp(`^<(/?)([A-Za-z][\\w:-]*)((?:${ATTRIBUTE.source})*)${SPACE}*(/?)>$`);
/** HTML knows 2,000 names for characters, and any of them could hide what is looked for here. */
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos);)/;

/**
 * Says why a text cannot be a logo: one `<svg>` element in XML syntax that draws and nothing else. Pages put it inline,
 * and everybody gets it, so only known elements are taken, and nothing in it may run code or load from elsewhere.
 *
 * @returns undefined when it can, else a sentence without its subject
 */
export function checkLogo(text: string): string | undefined {
  const svg = text.trim();
  if (!/^<svg[\t\n\r />]/.test(svg)) return 'must start with <svg: no XML declaration, comment or text before it';
  if (/<[!?]/.test(svg)) return 'must not have comments, CDATA, document types or instructions (<! or <?)';
  if (ENTITY.test(svg)) return 'must not use & but for &amp; &lt; &gt; &quot; and &apos;';
  const open: string[] = [];
  let elements = 0;
  let uses = 0;
  for (const [token] of svg.matchAll(TOKEN)) {
    if (elements > 0 && open.length === 0) return 'must end where its <svg> element ends';
    if (!/[<>]/.test(token)) continue;
    const tag = TAG.exec(token);
    if (tag === null) return `has a tag that is not XML with quoted attributes: ${token.slice(0, 40)}`;
    const [, closing, name = '', attributes = ''] = tag;
    const parent = open.at(-1) ?? '';
    if (!closing && TEXT_ONLY.has(parent)) return `must not have elements in <${parent}>: it takes text only`;
    const problem = checkElement(name) ?? checkAttributes(attributes);
    if (problem !== undefined) return problem;
    elements += 1;
    if (name === 'use' && !closing) uses += 1;
    if (uses > MAX_USES) return `must not have more than ${MAX_USES} <use> elements`;
    if (closing && open.pop() !== name) return `closes <${name}>, which is not the element that is open`;
    if (!closing && !token.endsWith('/>')) open.push(name);
  }
  return open.length > 0 ? `does not close <${open.at(-1)}>` : undefined;
}

function checkElement(name: string): string | undefined {
  if (ELEMENTS.has(name)) return undefined;
  return `must not have the element <${name}>; allowed are ${[...ELEMENTS].join(', ')}`;
}

function checkAttributes(attributes: string): string | undefined {
  for (const [, name = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? '';
    if (/^on/i.test(name)) return `must not have the event handler ${name}`;
    if (/^(?:style|class)$/i.test(name)) {
      return `must not have ${name}, which reaches the page around it; use attributes such as fill`;
    }
    if (/^xmlns\b/i.test(name)) {
      if (NAMESPACES[name] === value) continue;
      return `must not have ${name}="${value}"; allowed are ${Object.keys(NAMESPACES).join(' and ')} of SVG`;
    }
    if (/^(?:\w+:)?(?:href|src)$/i.test(name) && !value.startsWith('#')) {
      return `must not refer to anything outside itself: ${name} takes #id only`;
    }
    const problem = checkValue(name, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkValue(name: string, value: string): string | undefined {
  // Attributes that draw are CSS, in which it can hide a letter of `url`.
  if (value.includes('\\')) return `must not have a backslash in ${name}`;
  for (const [, called = '', argument = ''] of value.matchAll(/([\w-]+)\(\s*([^)]*)/g)) {
    if (FUNCTIONS.has(called) || (called === 'url' && /^['"]?#/.test(argument))) continue;
    return `must not have ${called}(…) in ${name}: only url(#id), colours and transformations are allowed`;
  }
  return undefined;
}
