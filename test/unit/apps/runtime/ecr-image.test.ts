import { expect, test } from 'vitest';
import { parseEcrImage } from '../../../../lib/apps/runtime/ecr-image.ts';

const HOST = '123456789012.dkr.ecr.eu-west-1.amazonaws.com';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const OWN = { account: '123456789012', region: 'eu-west-1' };

test.each([
  [`${HOST}/shop:1.2`, { ...OWN, repository: 'shop', tag: '1.2' }],
  [`${HOST}/team/shop-api_v2:latest`, { ...OWN, repository: 'team/shop-api_v2', tag: 'latest' }],
  [`${HOST}/shop@${DIGEST}`, { ...OWN, repository: 'shop', digest: DIGEST }],
  [`${HOST}/shop:1@${DIGEST}`, { ...OWN, repository: 'shop', tag: '1', digest: DIGEST }],
  [
    '123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/shop:1',
    { account: '123456789012', region: 'cn-north-1', repository: 'shop', tag: '1' },
  ],
])('%s is an image of ECR', (image, expected) => {
  expect(parseEcrImage(image)).toEqual(expected);
});

test.each([
  `${HOST}/shop`,
  `${HOST}/shop:`,
  `${HOST}/Shop:1`,
  `${HOST}/:1`,
  `${HOST}:443/shop:1`,
  `${HOST}/shop@sha256:abc`,
  `${HOST}/shop:1 `,
  `https://${HOST}/shop:1`,
  '12345678901.dkr.ecr.eu-west-1.amazonaws.com/shop:1',
  '123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example/shop:1',
  'public.ecr.aws/shop/shop:1',
  'bench.invalid/none:0',
  'artifact:1',
  '',
])('%j is none', (image) => {
  expect(parseEcrImage(image)).toBeUndefined();
});

test('a long text that is nearly one is refused in no time', () => {
  expect(parseEcrImage(`${HOST}/${'a-'.repeat(50_000)}!`)).toBeUndefined();
});
