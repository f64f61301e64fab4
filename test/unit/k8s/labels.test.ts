import { describe, expect, test } from 'vitest';
import type { Json } from '../../../lib/engine/json.ts';
import { matchesLabels, parseLabelSelector, parseSelectorText } from '../../../lib/k8s/labels.ts';

type Labels = Record<string, string>;

function select(parsed: ReturnType<typeof parseLabelSelector>, labels: Labels): boolean {
  if (!parsed.selector) throw new Error(JSON.stringify(parsed.problems));
  return matchesLabels(parsed.selector, labels);
}

const web: Labels = { app: 'web', tier: 'front', empty: '' };

describe('the text form', () => {
  test.each<[string, boolean]>([
    ['', true],
    ['  ', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web', true],
    ['app=api', false],
    ['app!=api', true],
    ['app!=web', false],
    ['other!=x', true],
    ['other=x', false],
    ['app', true],
    ['other', false],
    ['!app', false],
    ['! other', true],
    ['app in (web,api)', true],
    ['app in ( api , x )', false],
    ['app notin (api)', true],
    ['app notin (web)', false],
    ['other notin (x)', true],
    ['empty=', true],
    ['empty in (,x)', true],
    ['app=web,tier in (front,back),!other', true],
    ['app=web,tier=back', false],
    ['app=web,app!=web', false],
    ['constructor', false],
    ['!__proto__x', true],
  ])('%j selects %s', (text, selected) => {
    const parsed = parseSelectorText(text);
    if (text === '!__proto__x') expect(parsed.problems).toHaveLength(1);
    else expect(select(parsed, web)).toBe(selected);
  });

  test.each([
    ['app=web,', 1],
    [',', 2],
    ['a=b=c', 1],
    ['=b', 1],
    ['!', 1],
    ['a in x', 1],
    ['a in (x', 1],
    ['a in (x))', 1],
    ['a > 5', 1],
    ['-a=b', 1],
    ['a=-b', 1],
    ['a=b,-c,!d/', 2],
    ['a b', 1],
  ])('%j is refused with %d problems', (text, count) => {
    const { problems } = parseSelectorText(text);
    expect(problems).toHaveLength(count);
    expect(problems?.every(({ path }) => path === '')).toBe(true);
  });

  test('reads into sorted requirements', () => {
    expect(parseSelectorText('a in (z,b,z),!c').selector).toEqual([
      { key: 'a', operator: 'In', values: ['b', 'z'] },
      { key: 'c', operator: 'DoesNotExist', values: [] },
    ]);
  });

  test('takes time in proportion to a hostile length', () => {
    expect(parseSelectorText(','.repeat(100_000)).problems?.length).toBe(100_001);
    expect(parseSelectorText(`a in (${'('.repeat(100_000)}`).problems).toHaveLength(1);
  });
});

describe('metav1.LabelSelector', () => {
  test.each<[Json, boolean]>([
    [{}, true],
    [{ matchLabels: {} }, true],
    [{ matchLabels: null, matchExpressions: null }, true],
    [{ matchLabels: { app: 'web', tier: 'front' } }, true],
    [{ matchLabels: { app: 'web', tier: 'back' } }, false],
    [{ matchLabels: { empty: '' } }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'x'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, false],
    [{ matchExpressions: [{ key: 'other', operator: 'NotIn', values: ['web'] }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist', values: [] }] }, false],
    [{ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'x', operator: 'DoesNotExist', values: null }] }, true],
    [{ matchLabels: { constructor: 'x' } }, false],
  ])('%j selects %s', (selector, selected) => expect(select(parseLabelSelector(selector), web)).toBe(selected));

  test('is refused with all its problems at once', () => {
    const { problems } = parseLabelSelector({
      matchLabels: { '-bad': 'x', good: '-bad', number: 5 },
      matchExpressions: [
        { key: 'a', operator: 'Equals', values: ['x'] },
        { key: 'a', operator: 'In' },
        { key: 'a', operator: 'Exists', values: ['x'] },
        { key: 5, operator: 'In', values: 'x', extra: 1 },
        'x',
      ],
      matchFields: {},
    });
    expect(problems).toEqual([
      { path: 'matchLabels.-bad', message: '"-bad" is not a label key' },
      { path: 'matchLabels.good', message: '"-bad" is not a label value' },
      { path: 'matchLabels.number', message: 'the values of "number" must be strings' },
      { path: 'matchExpressions[0].operator', message: 'must be one of In, NotIn, Exists, DoesNotExist' },
      { path: 'matchExpressions[1]', message: 'In needs at least one value' },
      { path: 'matchExpressions[2]', message: 'Exists takes no values' },
      { path: 'matchExpressions[3].extra', message: 'is unknown' },
      { path: 'matchExpressions[3].key', message: 'must be a string' },
      { path: 'matchExpressions[3].values', message: 'must be a list' },
      { path: 'matchExpressions[4]', message: 'must be an object' },
      { path: 'matchFields', message: 'is unknown; a label selector has matchLabels and matchExpressions' },
    ]);
  });

  test.each<Json>([null, 'app=web', [], 5])('must be an object, not %j', (value) => {
    expect(parseLabelSelector(value).problems).toEqual([{ path: '', message: 'must be an object' }]);
    expect(parseLabelSelector({ matchLabels: 'x', matchExpressions: {} }).problems).toHaveLength(2);
  });
});
