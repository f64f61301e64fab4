import { expect, test } from 'vitest';
import { checkLogo } from '../../../lib/system/logo.ts';

test.each([
  ['an empty drawing', '<svg/>'],
  ['white space around it', '\n  <svg ></svg >\n'],
  ['namespaces', '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"/>'],
  ['single quotes, a line break and a unit', "<svg viewBox = '0 0 24 24'\n width='1em'/>"],
  ['references into itself', '<svg><use href="#a"/><use xlink:href="#b"/><g fill="url(#c)" mask="url(\'#d\')"/></svg>'],
  ['transformations and colours', '<svg><g transform="translate(1 2) rotate(45)" fill="rgba(0,0,0,.5)"/></svg>'],
  ['text with characters that XML escapes', '<svg><title>Depot &amp; S&lt;hne</title><text>a (b)</text></svg>'],
  ['words in parentheses', '<svg aria-label="Depot (beta)"/>'],
  ['gradients', '<svg><defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient></defs></svg>'],
])('a logo may have %s', (_what, svg) => {
  expect(checkLogo(svg)).toBeUndefined();
});

test.each([
  ['nothing', '', 'must start with <svg'],
  ['another element', '<svgx/>', 'must start with <svg'],
  ['an XML declaration', '<?xml version="1.0"?><svg/>', 'must start with <svg'],
  ['an image by reference', '<img src="https://example.com/a.svg">', 'must start with <svg'],
  ['a script', '<svg><script>alert(1)</script></svg>', 'must not have the element <script>; allowed are svg, g, '],
  ['a script in capitals', '<svg><SCRIPT/></svg>', 'must not have the element <SCRIPT>'],
  ['a script in a namespace', '<svg><svg:script/></svg>', 'must not have the element <svg:script>'],
  ['HTML', '<svg><foreignObject><p/></foreignObject></svg>', 'must not have the element <foreignObject>'],
  ['an embedded image', '<svg><image href="data:image/png;base64,AA"/></svg>', 'must not have the element <image>'],
  ['a link', '<svg><a href="#a"/></svg>', 'must not have the element <a>'],
  ['an animation', '<svg><set attributeName="href" to="javascript:x"/></svg>', 'must not have the element <set>'],
  ['a style sheet', '<svg><style>@import "//example.com"</style></svg>', 'must not have the element <style>'],
  ['an event handler', '<svg onload="alert(1)"/>', 'must not have the event handler onload'],
  ['an event handler in capitals', '<svg><g OnClick = "x"/></svg>', 'must not have the event handler OnClick'],
  ['a use of another file', '<svg><use href="/a.svg#b"/></svg>', 'takes #id only'],
  ['a use by the old name', '<svg><use xlink:href="https://example.com#a"/></svg>', 'xlink:href takes #id only'],
  ['a paint from elsewhere', '<svg fill="url(https://example.com)"/>', 'must not have url(…) in fill'],
  ['a paint by a quoted name', '<svg fill="url( \'//example.com\')"/>', 'must not have url(…) in fill'],
  ['a set of images', '<svg mask="image-set(\'//example.com\')"/>', 'must not have image-set(…) in mask'],
  ['an escape in a paint', '<svg fill="u\\72l(//example.com)"/>', 'must not have a backslash in fill'],
  ['a hidden parenthesis', '<svg fill="url&lpar;//example.com)"/>', 'must not use & but for &amp;'],
  ['a hidden letter', '<svg fill="&#117;rl(//example.com)"/>', 'must not use & but for &amp;'],
  ['a bare ampersand', '<svg><title>A & B</title></svg>', 'must not use & but for &amp;'],
  ['another namespace', '<svg xmlns:h="http://www.w3.org/1999/xhtml"/>', 'must not have xmlns:h='],
  ['another default namespace', '<svg xmlns="http://www.w3.org/1999/xhtml"/>', 'must not have xmlns='],
  ['a comment', '<svg><!-- made with a tool --></svg>', 'must not have comments'],
  ['character data', '<svg><![CDATA[<script>]]></svg>', 'must not have comments, CDATA'],
  ['a document type', '<svg><!DOCTYPE a></svg>', 'must not have comments, CDATA, document types'],
  ['an instruction', '<svg><?a b?></svg>', 'must not have comments, CDATA, document types or instructions'],
  [
    'an attribute without quotes',
    '<svg width=24/>',
    'has a tag that is not XML with quoted attributes: <svg width=24/>',
  ],
  ['attributes run together', '<svg a="1"onload="x"/>', 'has a tag that is not XML'],
  ['a bracket in an attribute', '<svg a="x>y"/>', 'has a tag that is not XML'],
  ['an open bracket', '<svg><</svg>', 'has a tag that is not XML'],
  ['an element that is not closed', '<svg><g></svg>', 'closes <svg>, which is not the element that is open'],
  ['no end', '<svg><g></g>', 'does not close <svg>'],
  ['an end too many', '<svg></svg></svg>', 'must end where its <svg> element ends'],
  ['something behind it', '<svg/><svg/>', 'must end where its <svg> element ends'],
  ['text behind it', '<svg/>hello', 'must end where its <svg> element ends'],
])('a logo with %s is refused with a reason', (_what, svg, reason) => {
  expect(checkLogo(svg)).toContain(reason);
});

/** What `\s` matches and HTML takes for a part of a name, and what neither does. */
const NO_SPACES = ['\u00a0', '\ufeff', '\u2028', '\u2029', '\u3000', '\u1680', '\u000b', '\u000c', '\u0085', '\u200b'];
const codes = NO_SPACES.map((space) => ({ space, code: space.charCodeAt(0).toString(16).padStart(4, '0') }));

test.each(codes)('U+$code is no white space to HTML, so it parts no names here either', ({ space }) => {
  const quoted = 'a="x onfocus=alert`1` autofocus tabindex=0 y"';
  for (const svg of [
    `<svg${space}${quoted}>Depot</svg>`,
    `<svg ${space}${quoted}/>`,
    `<svg><g a="1"${space}b="x onfocus=alert\`1\` y"/></svg>`,
    `<svg><text tabindex${space}="0 onfocus=alert\`1\` ">Depot</text></svg>`,
    `<svg><text tabindex=${space}"0 onfocus=alert\`1\` ">Depot</text></svg>`,
    `<svg><g a="1"${space}/></svg>`,
    `<svg></svg${space}>`,
  ]) {
    expect(checkLogo(svg)).toMatch(/^(must start with <svg|has a tag that is not XML)/);
  }
});

test.each([' ', '\t', '\n', '\r', '\r\n'])('%j is white space', (space) => {
  expect(checkLogo(`<svg${space}a${space}=${space}"1"${space}b='2'${space}></svg${space}>`)).toBeUndefined();
});

test.each(['title', 'desc'])('<%s> holds text only: in HTML an element in it would swallow the page', (name) => {
  const refused = `must not have elements in <${name}>`;
  expect(checkLogo(`<svg><${name}>Depot &amp; Co</${name}><${name}/><path/></svg>`)).toBeUndefined();
  for (const inner of ['<line/>', '<path></path>', '<g>', 'a <tspan>b</tspan>', `<${name}/>`, '<desc/>']) {
    expect(checkLogo(`<svg><${name}>${inner}</${name}></svg>`)).toContain(refused);
    expect(checkLogo(`<svg><g><${name}>${inner}</${name}></g></svg>`)).toContain(refused);
  }
});

test.each(['style', 'class', 'STYLE', 'Class'])('the attribute %s reaches the page, on any element', (name) => {
  for (const tag of [
    '<svg @/>',
    '<svg><g @/></svg>',
    '<svg><text x="1" @>a</text></svg>',
    '<svg><title @>a</title></svg>',
  ]) {
    expect(checkLogo(tag.replace('@', `${name}="position:fixed"`))).toContain(`must not have ${name}`);
    expect(checkLogo(tag.replace('@', `${name}=''`))).toContain(`must not have ${name}`);
  }
});

test('what a logo draws is bounded, however its uses refer to each other', () => {
  const uses = (count: number, href = '#a') => `<use href="${href}"/>`.repeat(count);
  const level = (index: number, count: number) => `<g id="a${index}">${uses(count, `#a${index - 1}`)}</g>`;
  expect(checkLogo(`<svg><path id="a"/>${uses(16)}</svg>`)).toBeUndefined();
  expect(checkLogo(`<svg><path id="a"/>${'<use href="#a"></use>'.repeat(16)}</svg>`)).toBeUndefined();
  expect(checkLogo(`<svg><path id="a"/>${uses(17)}</svg>`)).toBe('must not have more than 16 <use> elements');
  const bomb = Array.from({ length: 9 }, (_, index) => level(index + 1, 10)).join('');
  expect(checkLogo(`<svg><defs><g id="a0"><path/></g>${bomb}</defs></svg>`)).toContain('more than 16 <use>');
});

test('a long hostile text is judged in one pass', () => {
  const size = 60_000;
  expect(checkLogo(`<svg ${' '.repeat(size)}!>`)).toContain('has a tag that is not XML');
  expect(checkLogo(`<svg${' a="b"'.repeat(size / 6)} !>`)).toContain('has a tag that is not XML');
  expect(checkLogo(`<svg>${'<g>'.repeat(size / 3)}`)).toContain('does not close <g>');
});
