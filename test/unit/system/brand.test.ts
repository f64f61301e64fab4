import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../lib/errors.ts';
import { BRAND_KEYS, loadBrand, parseBrand } from '../../../lib/system/brand.ts';
import { BRAND_FIELDS } from '../../../lib/system/brand-fields.ts';

const MINIMAL = 'name: Depot\nbinary_name: depot\n';
const REPOSITORY = join(import.meta.dirname, '../../..');

/** The problem texts, without the line that says which file and the one that lists the keys. */
function problemsOf(text: string, overrides: Record<string, string> = {}): string[] {
  try {
    parseBrand(text, 'brand.yaml', overrides);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as Error).message).toMatch(/^the brand file brand\.yaml /);
    return (error as Error).message
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => line.trim());
  }
}

describe('a brand file', () => {
  test('needs a name and a binary name only; what is not set is an empty string', () => {
    const empty = Object.fromEntries(BRAND_KEYS.map((key) => [key, '']));
    expect(parseBrand(MINIMAL, 'brand.yaml')).toEqual({ ...empty, Name: 'Depot', BinaryName: 'depot' });
  });

  test('gives every key under the name that clients of the peer read', () => {
    expect(BRAND_KEYS).toEqual(
      expect.arrayContaining([
        ...['Name', 'ShortName', 'BinaryName', 'Domain', 'SupportURL', 'PrimaryColor', 'LogoSVG', 'DocsURL'],
        ...['SupportEmail', 'PrimaryColorDark', 'DiscussionsURL', 'RepoURL'],
      ]),
    );
    expect(BRAND_KEYS).toHaveLength(12);
  });

  test.each([
    ['name', 'Depot & Söhne 🚂', 'Name'],
    ['name', 'x'.repeat(64), 'Name'],
    ['short_name', 'depot-2', 'ShortName'],
    ['binary_name', 'Depot_ctl.exe', 'BinaryName'],
    ['domain', 'depot.xn--p1ai', 'Domain'],
    ['support_url', 'https://example.com/help?a=b#c', 'SupportURL'],
    ['docs_url', 'http://localhost:8080/docs/', 'DocsURL'],
    ['discussions_url', 'https://example.com', 'DiscussionsURL'],
    ['repo_url', 'https://example.com/a/b', 'RepoURL'],
    ['support_email', 'Help+depot@Example.com', 'SupportEmail'],
    ['primary_color', '#ABC', 'PrimaryColor'],
    ['primary_color_dark', '#aabbccdd', 'PrimaryColorDark'],
    ['logo_svg', '<svg/>', 'LogoSVG'],
    ['logo_svg', '', 'LogoSVG'],
  ])('takes %s: %s', (name, value, key) => {
    const lines = { name: 'Depot', binary_name: 'depot', [name]: value };
    const text = Object.entries(lines).map(([line, given]) => `${line}: ${JSON.stringify(given)}\n`);
    expect(parseBrand(text.join(''), 'brand.yaml')).toHaveProperty(key, value);
  });

  test.each([
    ['name', '""', 'name is missing; set it in the file'],
    ['name', '" Depot"', 'line 1: name must be one line of 1 to 64 characters without <, > and invisible ones'],
    ['name', '"a\\nb"', 'line 1: name must be one line'],
    ['name', '"<b>"', 'line 1: name must be one line'],
    ['name', 'x'.repeat(65), 'line 1: name must be one line'],
    ['name', '7', 'line 1: name must be text; put it in quotes'],
    ['name', 'yes', 'line 1: name must be text; put it in quotes'],
    ['name', '[a]', 'line 1: name must be text; put it in quotes'],
    ['name', '{toString: a}', 'line 1: name must be text; put it in quotes'],
    ['name', '{toString: a, valueOf: b}', 'line 1: name must be text; put it in quotes'],
    ['name', '[{toString: a}]', 'line 1: name must be text; put it in quotes'],
    ['name', '{__proto__: null}', 'line 1: name must be text; put it in quotes'],
    ['logo_svg', '{toString: 1, valueOf: 2}', 'line 1: logo_svg must be text; put it in quotes'],
    ...['\\u200b', 'De\\u202Epot', '\\ufeffDepot', 'De\\u00adpot', '\\u00a0', 'Depot\\u3000'].map((name) => [
      'name',
      `"${name}"`,
      'line 1: name must be one line of 1 to 64 characters without <, > and invisible ones',
    ]),
    ['docs_url', '"https://example.com/\\u202Egnp.a"', 'line 1: docs_url must be an http or https URL'],
    ['binary_name', 'a/b', 'line 1: binary_name must be a command name'],
    ['binary_name', '../depot', 'line 1: binary_name must be a command name'],
    ['short_name', 'Depot', 'line 1: short_name must be a lower-case letter and up to 31'],
    ['domain', 'https://example.com', 'line 1: domain must be a DNS name such as roundhouse.example.com'],
    ['domain', 'localhost', 'line 1: domain must be a DNS name'],
    ['support_url', 'javascript:alert(1)', 'line 1: support_url must be an http or https URL'],
    ['support_url', 'https://user@example.com', 'line 1: support_url must be an http or https URL without user'],
    ['docs_url', `'https://example.com/"onclick='`, 'line 1: docs_url must be an http or https URL'],
    ['repo_url', 'example.com/a', 'line 1: repo_url must be an http or https URL'],
    ['discussions_url', `https://example.com/${'a'.repeat(2048)}`, 'line 1: discussions_url must be an http or'],
    ['support_email', 'Help <help@example.com>', 'line 1: support_email must be an e-mail address'],
    ['primary_color', 'red', 'line 1: primary_color must be a colour such as "#1d4ed8", in quotes'],
    ['primary_color', '"#12345"', 'line 1: primary_color must be a colour'],
    ['primary_color', '"#fff;background:url(x)"', 'line 1: primary_color must be a colour'],
    ['primary_color', '#b45309', 'line 1: primary_color has no value; remove the key, or put the value in quotes'],
    ['support_ulr', 'x', 'line 1: "support_ulr" is not known; did you mean support_url?'],
    ['Logo-SVG', 'x', 'line 1: "Logo-SVG" is not known; did you mean logo_svg?'],
    ['favicon', 'x', 'line 1: "favicon" is not known'],
    ['__proto__', '{name: x}', 'line 1: "__proto__" is not known'],
    ['constructor', 'x', 'line 1: "constructor" is not known'],
    ['logo_svg', '<svg><script>alert(1)</script></svg>', 'line 1: logo_svg must not have the element <script>'],
  ])('refuses %s: %s with a reason', (name, value, problem) => {
    const others = MINIMAL.split('\n').filter((line) => !line.startsWith(`${name}:`));
    expect(problemsOf([`${name}: ${value}`, ...others].join('\n'))).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    ['a list', '- name: Depot', 'must be one YAML mapping'],
    ['text', 'Depot', 'must be one YAML mapping'],
    ['two documents', `${MINIMAL}---\n${MINIMAL}`, 'must be one YAML mapping'],
    ['a key that is there twice', `${MINIMAL}name: Depot\n`, 'is not YAML: line 3: duplicate key "name"; keep one'],
    ['an open bracket', 'name: [', 'is not YAML: line 1: '],
  ])('that is %s is refused', (_what, text, problem) => {
    expect(() => parseBrand(text, 'brand.yaml')).toThrow(`the brand file brand.yaml ${problem}`);
  });

  test('has all its problems named at once, and the keys that there are', () => {
    const text = 'nmae: Depot\nbinary_name: a b\nprimary_color: blue\n';
    expect(problemsOf(text)).toHaveLength(4);
    expect(() => parseBrand(text, 'brand.yaml')).toThrow(`It takes the keys ${Object.keys(BRAND_FIELDS).join(', ')}.`);
  });

  test('has its primary colour for the dark accent, too, unless it names one', () => {
    const light = `${MINIMAL}primary_color: "#111111"\n`;
    expect(parseBrand(light, 'brand.yaml').PrimaryColorDark).toBe('#111111');
    expect(parseBrand(`${light}primary_color_dark: "#222222"\n`, 'brand.yaml').PrimaryColorDark).toBe('#222222');
  });
});

describe('a variable of the environment', () => {
  test.each(Object.keys(BRAND_FIELDS))('goes before the key %s, unless it is empty', (name) => {
    const { key } = BRAND_FIELDS[name as keyof typeof BRAND_FIELDS];
    const good: Record<string, string> = {
      ...{ name: 'Other', short_name: 'other', binary_name: 'other', domain: 'o.example.com' },
      ...{ support_email: 'o@example.com', primary_color: '#000', primary_color_dark: '#000', logo_svg: '<svg/>' },
    };
    const value = good[name] ?? 'https://o.example.com';
    const variable = `APP_BRAND_${name.toUpperCase()}`;
    expect(parseBrand(MINIMAL, 'brand.yaml', { [variable]: value })[key]).toBe(value);
    expect(parseBrand(MINIMAL, 'brand.yaml', { [variable]: '' })).toEqual(parseBrand(MINIMAL, 'brand.yaml'));
  });

  test('can give what the file lacks, and replace what is wrong in it', () => {
    const overrides = { APP_BRAND_NAME: 'Depot', APP_BRAND_BINARY_NAME: 'depot' };
    expect(parseBrand('', 'brand.yaml', overrides)).toMatchObject({ Name: 'Depot', BinaryName: 'depot' });
    expect(parseBrand('name: 7', 'brand.yaml', overrides).Name).toBe('Depot');
  });

  test.each([
    [{ APP_BRAND_PRIMARY_COLOR: 'red' }, 'APP_BRAND_PRIMARY_COLOR must be a colour such as "#1d4ed8", in quotes'],
    [{ APP_BRAND_SUPORT_URL: '' }, 'APP_BRAND_SUPORT_URL is not known; did you mean support_url?'],
  ])('that is wrong is named: %o', (overrides, problem) => {
    expect(problemsOf(MINIMAL, overrides as never)).toEqual([problem]);
  });
});

describe('reading a file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'roundhouse-brand-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('the brand of this repository is valid, and none of its links leads nowhere', () => {
    const brand = loadBrand(join(REPOSITORY, 'brand.yaml'));
    expect(brand).toMatchObject({ Name: 'Roundhouse', BinaryName: 'roundhouse' });
    expect(Object.entries(brand).filter(([key, value]) => /URL|Domain|Email/.test(key) && value !== '')).toEqual([]);
  });

  test.each([
    ['an empty one', '', 'name is missing'],
    ['one of 64 KiB is read', `${MINIMAL}#${'x'.repeat(64 * 1024 - MINIMAL.length - 1)}`, undefined],
    ['one that is larger', `${MINIMAL}#${'x'.repeat(64 * 1024)}`, 'bytes; the limit is 65536'],
    ['one that is not UTF-8', Uint8Array.of(0x6e, 0xff), 'cannot be read (ERR_ENCODING_INVALID_ENCODED_DATA)'],
    ['one with a byte order mark is read', `\uFEFF${MINIMAL}`, undefined],
  ])('%s', (_what, content, problem) => {
    const file = join(folder, 'brand.yaml');
    writeFileSync(file, content);
    if (problem === undefined) expect(loadBrand(file).Name).toBe('Depot');
    else expect(() => loadBrand(file)).toThrow(problem);
  });

  test.each([
    ['no-such-file', 'does not exist; brandFile (to deploy) or, outside the stack, APP_BRAND_FILE gives another path'],
    ['.', 'is not a file'],
  ])('of %s says where it looked', (name, problem) => {
    const file = join(folder, name);
    expect(() => loadBrand(file)).toThrow(`the brand file ${file} ${problem}`);
  });
});
