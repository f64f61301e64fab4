import { expect, test } from 'vitest';
import { envSizeFault, MAX_ENV_BYTES } from '../../../../lib/apps/spec/env.ts';
import { addedVariables } from '../../../../lib/apps/work/function-input.ts';
import { attempt, SETTINGS } from '../../../support/app-records.ts';

test('the check leaves exactly as much room as what the worker adds needs', () => {
  const pathOf = (app: string) => `/roundhouse/test/${app}/`;
  const deps = { secretValues: { pathOf }, settings: { stage: 'test', secretsLayerArn: 'arn' } };
  const code = { kind: 'zip' as const, artifact: 'a', versionId: 'v', bytes: 1 };
  const added = addedVariables({ name: 'shop', secrets: { TOKEN: {} as never } }, { ...attempt(), code }, deps as any);
  // `,"AA":""` around the value, as Lambda measures it.
  const taken = Buffer.byteLength(JSON.stringify(added)) + 8;
  const fits = { AA: 'x'.repeat(MAX_ENV_BYTES - taken) };
  expect(envSizeFault('shop', { ...SETTINGS, env: fits }, pathOf('shop'))).toBeUndefined();
  const tooLarge = { AA: `${fits.AA}x` };
  expect(envSizeFault('shop', { ...SETTINGS, env: tooLarge }, pathOf('shop'))).toMatch(
    /^has \d+ bytes of names and values/,
  );
});
