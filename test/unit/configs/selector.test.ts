import { describe, expect, test } from 'vitest';
import { type IndexPlan, planIndex, selectorOfText } from '../../../lib/configs/selector.ts';

describe('the index that answers a selector', () => {
  test.each<{ selector: string; expected: IndexPlan | object }>([
    { selector: 'a=b', expected: { key: 'a', values: ['b'] } },
    { selector: 'a in (c,b)', expected: { key: 'a', values: ['b', 'c'] } },
    { selector: 'a in (b,c),d=e', expected: { key: 'd', values: ['e'] } },
    { selector: '!x,y,a=b', expected: { key: 'a', values: ['b'] } },
    { selector: 'a!=b', expected: { everything: true } },
    { selector: 'a notin (b),!c,d', expected: { everything: true } },
    { selector: '', expected: { everything: true } },
  ])('of "$selector" is the one that reads least', ({ selector, expected }) => {
    expect(planIndex(selectorOfText(selector))).toMatchObject(expected);
  });
});
