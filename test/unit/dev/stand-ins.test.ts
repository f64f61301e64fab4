import { expect, test } from 'vitest';
import { createDevelopmentImages } from '../../../lib/dev/aws/images.ts';
import { createDevelopmentRoles } from '../../../lib/dev/aws/roles.ts';

test('every app has the one role of development', async () => {
  const roles = createDevelopmentRoles('000000000000');
  expect(await roles.ensure('shop')).toBe('arn:aws:iam::000000000000:role/roundhouse-development');
  await expect(roles.remove('shop')).resolves.toBeUndefined();
});

test('an image cannot run in development, and the refusal says what can', async () => {
  const images = createDevelopmentImages();
  await expect(images.resolve('000000000000.dkr.ecr.us-east-1.amazonaws.com/shop:1')).rejects.toMatchObject({
    name: 'RuntimeError',
    code: 'image_unreadable',
    message: expect.stringMatching(/shop:1.*zip package/),
  });
  expect(await images.exists({ kind: 'image', uri: 'x', digest: 'y' })).toBe(false);
});
