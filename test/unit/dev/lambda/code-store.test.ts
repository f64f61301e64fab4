import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { readZip } from '../../../../lib/dev/lambda/code-store.ts';

const UNREADABLE = 'Could not unzip uploaded file. Please check your file, then try to upload again.';
const pack = (files: Record<string, string>, level: 0 | 6 = 6) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), { level });

describe('a package', () => {
  test('gives its files, and no folders', () => {
    const files = readZip(pack({ 'index.js': 'a', 'lib/': '', 'lib/b.js': 'b' }));
    expect([...files.keys()].sort()).toEqual(['index.js', 'lib/b.js']);
  });

  test.each(['../a', 'a/../../b', '/etc/passwd', 'a//b', './a', 'C:/a', 'a\\..\\b', 'a\0b', '..'])(
    'with the name %j is refused whole',
    (name) => {
      expect(() => readZip(pack({ 'index.js': 'a', [name]: 'b' }))).toThrow(UNREADABLE);
    },
  );

  test.each([
    ['no zip', new Uint8Array(5)],
    ['a zip that is cut', pack({ 'index.js': 'a' }).subarray(0, -30)],
  ])('that is %s is refused', (_what, bytes) => {
    expect(() => readZip(bytes)).toThrow(UNREADABLE);
  });

  test('that would be too large is refused before it is unpacked', () => {
    const zip = pack({ 'a.js': 'a' });
    // The size of the entry in the central directory, which a bomb has there too.
    const at = zip.length - 22 - 46 - 'a.js'.length + 24;
    new DataView(zip.buffer, zip.byteOffset).setUint32(at, 262_144_001, true);
    expect(() => readZip(zip)).toThrow('Unzipped size must be smaller than 262144000 bytes');
  });

  test('whose entry is larger than it says is cut there', () => {
    const zip = pack({ 'a.js': 'x'.repeat(1_000) });
    const at = zip.length - 22 - 46 - 'a.js'.length + 24;
    new DataView(zip.buffer, zip.byteOffset).setUint32(at, 10, true);
    const size = (() => {
      try {
        return readZip(zip).get('a.js')?.length ?? 0;
      } catch {
        return 0;
      }
    })();
    expect(size).toBeLessThanOrEqual(10);
  });
});
