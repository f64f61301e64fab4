import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkRegion } from '../../infra/regions.ts';
import { parseSettings, type Settings } from '../../infra/settings.ts';
import { SETTINGS } from '../../infra/settings-table.ts';

const ROOT = join(import.meta.dirname, '../..');
const CERTIFICATE = 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000';

const DEFAULTS: Settings = {
  stage: 'prod',
  convertMemory: 1024,
  convertProvisionedConcurrency: 0,
  apiReadRpm: 600,
  apiWriteRpm: 120,
  appMaxReservedConcurrency: 500,
  workerMaxConcurrency: 5,
  logRetentionDays: 30,
  appLogRetentionDays: 30,
  removalPolicy: 'retain',
  convertTracing: 'off',
  apiTracing: 'active',
  deploy: 'canary',
  customerKey: false,
  brandFile: join(ROOT, 'brand.yaml'),
};

/** The problems, one text each. */
function problemsOf(context: Record<string, unknown>): string[] {
  try {
    parseSettings(context);
    return [];
  } catch (error) {
    expect((error as Error).name).toBe('Error');
    const [list = ''] = (error as Error).message.split('\n\n');
    return list.split('\n  - ').slice(1);
  }
}

describe('without any setting', () => {
  test('the defaults hold, and what has none is missing', () => {
    expect(parseSettings({})).toEqual(DEFAULTS);
    expect(parseSettings({ alarmEmail: undefined })).toEqual(DEFAULTS);
  });

  test.each(Object.entries(SETTINGS))('the default of %s is a value that it takes', (name, setting) => {
    if (!('default' in setting)) return;
    const { success, data } = setting.schema.safeParse(setting.default);
    expect({ name, success, data }).toEqual({ name, success: true, data: setting.default });
  });
});

describe('a setting', () => {
  test.each([
    ['stage', 'a', 'a'],
    ['stage', 'team-1-prod', 'team-1-prod'],
    ['stage', 'abcdefghij0123456789', 'abcdefghij0123456789'],
    ['convertMemory', '128', 128],
    ['convertMemory', 10_240, 10_240],
    ['convertProvisionedConcurrency', '0', 0],
    ['convertProvisionedConcurrency', 7, 7],
    ['convertReservedConcurrency', '50', 50],
    ['apiReservedConcurrency', 1, 1],
    ['apiReadRpm', '0', 0],
    ['apiWriteRpm', '10000000', 10_000_000],
    ['appMaxReservedConcurrency', '0', 0],
    ['workerMaxConcurrency', '2', 2],
    ['workerMaxConcurrency', 1000, 1000],
    ['appLogRetentionDays', '1', 1],
    ['alarmEmail', 'On-call+roundhouse@ops.Example.com', 'On-call+roundhouse@ops.Example.com'],
    ['logRetentionDays', '1', 1],
    ['logRetentionDays', 3653, 3653],
    ['removalPolicy', 'destroy', 'destroy'],
    ['convertTracing', 'active', 'active'],
    ['apiTracing', 'off', 'off'],
    ['deploy', 'all-at-once', 'all-at-once'],
    ['customerKey', true, true],
    ['customerKey', 'true', true],
    ['customerKey', 'false', false],
    ['brandFile', './brand.yaml', join(ROOT, 'brand.yaml')],
  ])('%s takes %o as %o', (name, given, value) => {
    expect(parseSettings({ [name]: given })).toEqual({ ...DEFAULTS, [name]: value });
  });

  test.each([
    ['stage', 'Prod', "'Prod' is refused"],
    ['stage', '1st', "'1st' is refused"],
    ['stage', 'a_b', "'a_b' is refused"],
    ['stage', 'prod\n', "'prod\\n' is refused"],
    ['stage', 'a'.repeat(21), "'aaaaaaaaaaaaaaaaaaaaa' is refused"],
    ['stage', 7, '7 is refused'],
    ['stage', '', 'the value is empty; leave the setting out'],
    ['stage', null, 'null is refused'],
    ['convertMemory', '127', "'127' is refused"],
    ['convertMemory', 10_241, '10241 is refused'],
    ['convertMemory', '1e3', "'1e3' is refused"],
    ['convertMemory', '0x400', "'0x400' is refused"],
    ['convertMemory', ' 1024', "' 1024' is refused"],
    ['convertMemory', '1024MB', "'1024MB' is refused"],
    ['convertMemory', '01024', "'01024' is refused"],
    ['convertMemory', '+1024', "'+1024' is refused"],
    ['convertMemory', '1024.0', "'1024.0' is refused"],
    ['convertMemory', 1024.5, '1024.5 is refused'],
    ['convertMemory', Number.NaN, 'NaN is refused'],
    ['convertMemory', true, 'true is refused'],
    ['convertMemory', [1024], '[ 1024 ] is refused'],
    ['convertMemory', '', 'the value is empty'],
    ['convertProvisionedConcurrency', '-1', "'-1' is refused"],
    ['convertProvisionedConcurrency', '9'.repeat(20), "'99999999999999999999' is refused"],
    ['convertReservedConcurrency', 49, '49 is refused'],
    ['convertReservedConcurrency', '0', "'0' is refused"],
    ['apiReservedConcurrency', 0, '0 is refused'],
    ['apiReadRpm', -1, '-1 is refused'],
    ['apiWriteRpm', '1.5', "'1.5' is refused"],
    ['workerMaxConcurrency', 1, '1 is refused'],
    ['workerMaxConcurrency', '1001', "'1001' is refused"],
    ['appLogRetentionDays', 2, '2 is refused'],
    ['alarmEmail', 'ops', "'ops' is refused"],
    ['alarmEmail', 'Ops <ops@example.com>', "'Ops <ops@example.com>' is refused"],
    ['alarmEmail', 'a@b.com, c@d.com', "'a@b.com, c@d.com' is refused"],
    ['alarmEmail', '', 'the value is empty'],
    ['logRetentionDays', 2, '2 is refused'],
    ['logRetentionDays', '9999', "'9999' is refused"],
    ['removalPolicy', 'delete', "'delete' is refused"],
    ['convertTracing', 'Active', "'Active' is refused"],
    ['convertTracing', true, 'true is refused'],
    ['apiTracing', 'on', "'on' is refused"],
    ['deploy', 'linear', "'linear' is refused"],
    ['customerKey', 'yes', "'yes' is refused"],
    ['customerKey', 1, '1 is refused'],
    ['brandFile', '', 'the value is empty'],
    ['brandFile', { path: 'brand.yaml' }, "{ path: 'brand.yaml' } is refused"],
  ])('%s: %o is refused with what it takes', (name, given, reason) => {
    const [problem, ...others] = problemsOf({ [name]: given });
    expect(others).toEqual([]);
    const { allowed } = SETTINGS[name as keyof typeof SETTINGS];
    expect(problem?.startsWith(`${name}: ${reason}`)).toBe(true);
    expect(problem?.endsWith(`It takes ${allowed}.`)).toBe(true);
  });

  test('says why convert needs 50 instances when it has a limit', () => {
    expect(problemsOf({ convertReservedConcurrency: 10 })).toEqual([
      expect.stringMatching(
        /at least 50: each lets about 10 requests a second through, and one apiserver .* sends 200/,
      ),
    ]);
  });

  test('shows no more of a wrong value than helps', () => {
    const [problem = ''] = problemsOf({ deploy: 'x'.repeat(10_000) });
    expect(problem.length).toBeLessThan(200);
  });

  test('takes the days that CloudWatch Logs takes', () => {
    const days = Object.values(RetentionDays).filter((value) => typeof value === 'number');
    const taken = days.filter((value) => SETTINGS.logRetentionDays.schema.safeParse(value).success);
    expect(taken).toEqual(days.filter((value) => value !== RetentionDays.INFINITE));
  });
});

describe('a domain of convert', () => {
  const pair = { convertDomain: 'convert.example.com', convertCertificateArn: CERTIFICATE };

  test.each([
    ['convert.example.com', CERTIFICATE],
    ['a.b.c.d.example.xn--p1ai', CERTIFICATE.replace('arn:aws:', 'arn:aws-cn:')],
  ])('%s with %s is taken', (convertDomain, convertCertificateArn) => {
    expect(parseSettings({ convertDomain, convertCertificateArn })).toMatchObject({
      convertDomain,
      convertCertificateArn,
    });
  });

  test.each([
    'https://convert.example.com',
    'convert.example.com/path',
    'convert.example.com:443',
    'convert.example.com.',
    '*.example.com',
    'Convert.example.com',
    'convert',
    '192.0.2.1',
    '-a.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(126)}com`,
  ])('cannot be %s', (convertDomain) => {
    expect(problemsOf({ ...pair, convertDomain })).toEqual([
      expect.stringMatching(/^convertDomain: '.* is refused\. It takes a DNS name in lower case, .* wildcard\.$/),
    ]);
  });

  test.each([
    'arn:aws:iam::123456789012:server-certificate/a',
    'arn:aws:acm:eu-west-1:12345:certificate/a',
    '0a1b2c3d-0000-4000-8000-000000000000',
    `${CERTIFICATE} `,
  ])('cannot have the certificate %s', (convertCertificateArn) => {
    expect(problemsOf({ ...pair, convertCertificateArn })).toEqual([
      expect.stringMatching(/^convertCertificateArn: '.* is refused\. It takes the ARN of an ACM certificate, /),
    ]);
  });

  test.each([
    ['convertDomain', 'convertCertificateArn'],
    ['convertCertificateArn', 'convertDomain'],
  ] as const)('with %s alone is refused', (given, missing) => {
    expect(problemsOf({ [given]: pair[given] })).toEqual([
      `${missing}: it is missing. convertDomain and convertCertificateArn belong together: give both or none.`,
    ]);
  });
});

describe('warm instances', () => {
  test.each([
    [24, 50],
    [25, 51],
    [0, 50],
    [500, undefined],
  ])('%s of %s reserved ones are possible', (convertProvisionedConcurrency, reserved) => {
    const context = { convertProvisionedConcurrency, convertReservedConcurrency: reserved };
    expect(parseSettings(context)).toMatchObject({ convertProvisionedConcurrency });
  });

  test.each([
    [25, 50, 51],
    [50, 50, 101],
    [51, 50, 103],
  ])('%i of %i reserved ones leave no room for a deployment, which needs %i', (provisioned, reserved, enough) => {
    const context = { convertProvisionedConcurrency: provisioned, convertReservedConcurrency: reserved };
    expect(problemsOf(context)).toEqual([
      expect.stringMatching(
        new RegExp(`^convertProvisionedConcurrency: ${provisioned} .* of ${reserved}\\. .* ${enough}\\.$`),
      ),
    ]);
  });
});

describe('the brand file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'roundhouse-settings-'));
    writeFileSync(join(folder, 'good.yaml'), 'name: Depot\nbinary_name: depot\n');
    writeFileSync(join(folder, 'bad.yaml'), 'name: Depot\ncolor: red\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('may be any file of that form', () => {
    const brandFile = join(folder, 'good.yaml');
    expect(parseSettings({ brandFile }).brandFile).toBe(brandFile);
  });

  test('has to be there', () => {
    const brandFile = join(folder, 'none.yaml');
    expect(problemsOf({ brandFile })).toEqual([
      expect.stringContaining(`brandFile: the brand file ${brandFile} does not exist`),
    ]);
  });

  test('has its own problems among those of the settings', () => {
    const problems = problemsOf({ brandFile: join(folder, 'bad.yaml'), stage: 'X' });
    expect(problems).toEqual([
      expect.stringMatching(/^stage: /),
      expect.stringMatching(/line 2: "color" is not known[\s\S]*binary_name is missing/),
    ]);
  });
});

describe('the keys of the context', () => {
  test.each([
    'aws:cdk:enable-path-metadata',
    'aws:cdk:bundling-stacks',
    'aws-cdk:enableDiffNoFail',
    '@aws-cdk/core:validateAgainstDefaultRules',
    '@aws-cdk/core.slowSynthThreshold',
    'availability-zones:account=123456789012:region=eu-west-1',
    'cli-telemetry',
    'acknowledged-issue-numbers',
  ])('may include %s, which is of the CDK', (key) => {
    expect(parseSettings({ [key]: true })).toEqual(DEFAULTS);
  });

  test.each([
    ['convertMemroy', 'convertMemory'],
    ['convert-memory', 'convertMemory'],
    ['Stage', 'stage'],
    ['alarmMail', 'alarmEmail'],
    ['logRetention', 'logRetentionDays'],
    ['convertCertificate', 'convertCertificateArn'],
  ])('may not include %s: it was meant to be %s', (key, nearest) => {
    expect(problemsOf({ [key]: '1' })).toEqual([
      `${JSON.stringify(key)} is not a setting of Roundhouse. Did you mean ${nearest}?`,
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'region', 'awsRegion', ''])('may not include "%s"', (key) => {
    const context = JSON.parse(`{${JSON.stringify(key)}: {"stage": "x"}}`);
    expect(problemsOf(context)).toEqual([
      expect.stringContaining(`${JSON.stringify(key)} is not a setting of Roundhouse.`),
    ]);
  });

  test('that are unknown bring the list of those that there are, and a wrong value does not', () => {
    const read = (context: Record<string, unknown>) => {
      try {
        return `${parseSettings(context)}`;
      } catch (error) {
        return (error as Error).message;
      }
    };
    const text = read({ region: 'eu-west-1' });
    for (const [name, { allowed }] of Object.entries(SETTINGS)) {
      expect(text).toMatch(new RegExp(`^  ${name} \\((unset|default \\S+)\\): `, 'm'));
      expect(text).toContain(`: ${allowed}`);
    }
    expect(read({ stage: 'X' })).not.toContain('The settings, given as');
  });

  test('are judged all at once', () => {
    const problems = problemsOf({
      stage: 'X',
      convertMemory: 1,
      convertReservedConcurrency: 60,
      convertProvisionedConcurrency: 70,
      convertDomain: 'convert.example.com',
      brandFile: 'no-such-file.yaml',
      size: 3,
    });
    expect(problems.map((problem) => problem.split(/[ :]/)[0])).toEqual([
      ...['stage', 'convertMemory', 'convertProvisionedConcurrency', 'convertCertificateArn', '"size"', 'brandFile'],
    ]);
  });
});

describe('the Region', () => {
  test.each([
    ...['ap-south-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7', 'ap-east-2'],
    ...['ca-west-1', 'eu-south-2', 'eu-central-2', 'il-central-1', 'me-central-1'],
    ...['cn-northwest-1', 'mx-central-1', 'us-gov-east-1', 'us-gov-west-1'],
  ])('%s is refused: it has no function URLs', (region) => {
    expect(checkRegion(region)).toEqual([
      expect.stringMatching(new RegExp(`^AWS Lambda has no function URLs in ${region}, .* Deploy to another Region`)),
    ]);
  });

  test.each(['eu-west-1', 'us-east-1', 'cn-north-1', undefined])('%s is taken', (region) => {
    expect(checkRegion(region)).toEqual([]);
  });

  test('must be the one of the certificate', () => {
    expect(checkRegion('eu-west-1', CERTIFICATE)).toEqual([]);
    expect(checkRegion(undefined, CERTIFICATE)).toEqual([]);
    expect(checkRegion('us-east-1', CERTIFICATE)).toEqual([
      expect.stringMatching(
        /^convertCertificateArn: the certificate is in eu-west-1, the stack in us-east-1\. .* in us-east-1\. The Region is that of AWS_REGION/,
      ),
    ]);
    expect(checkRegion('eu-south-2', CERTIFICATE)).toHaveLength(2);
  });
});
