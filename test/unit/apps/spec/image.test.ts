import { expect, test } from 'vitest';
import { parseDurationMs } from '../../../../lib/apps/spec/duration.ts';
import { parseImage } from '../../../../lib/apps/spec/image.ts';
import { ACCOUNT, IMAGE } from '../../../support/apps.ts';

test.each([
  [IMAGE, 'image'],
  [IMAGE.replace('shop', 'team/shop-api'), 'image'],
  [`${IMAGE}@sha256:${'f'.repeat(64)}`, 'image'],
  ['artifact:art_1-x', 'zip'],
  ['shop:pending', 'pending'],
  [IMAGE.replace(/:1$/, ':pending'), 'pending'],
  ['nginx', 'foreign'],
  ['docker.io/library/nginx:1', 'foreign'],
  ['public.ecr.aws/x/y:1', 'foreign'],
  [IMAGE.replace(ACCOUNT.id, '999999999999'), 'foreign'],
  [IMAGE.replace(ACCOUNT.region, 'us-east-1'), 'foreign'],
  [IMAGE.replace('shop', 'Shop'), 'malformed'],
  [IMAGE.replace(':1', ':'), 'malformed'],
  [IMAGE.replace('.amazonaws.com', '.amazonaws.com.evil.example'), 'malformed'],
  ['artifact:a b', 'malformed'],
  ['ä', 'malformed'],
  ['', 'malformed'],
])('%s is %s', (image, kind) => {
  expect(parseImage(image, ACCOUNT).kind).toBe(kind);
});

test('an image of China has its own domain', () => {
  const account = { id: ACCOUNT.id, region: 'cn-north-1' };
  const image = `${ACCOUNT.id}.dkr.ecr.cn-north-1.amazonaws.com.cn/shop:1`;
  expect(parseImage(image, account)).toEqual({ kind: 'image', uri: image });
});

test.each([
  ['1h1m1s1ms', 3_661_001],
  ['1.5s', 1500],
  ['.5s', 500],
  ['100us', 0.1],
  ['1µs', 0.001],
  ['0', 0],
  [2_000_000_000, 2000],
  ['', undefined],
  ['-1s', undefined],
  ['1d', undefined],
  ['1 s', undefined],
  ['1', undefined],
  [-1, undefined],
  [0.5, undefined],
  [null, undefined],
])('the duration %j is %j milliseconds', (value, ms) => {
  expect(parseDurationMs(value)).toBe(ms);
});
