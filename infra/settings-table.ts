import * as z from 'zod/mini';
import { DOMAIN_NAME, EMAIL_ADDRESS } from '../lib/system/formats.ts';

export interface Setting {
  readonly about: string;
  /** Which values it takes, so that "it takes …" is a sentence. */
  readonly allowed: string;
  /** What holds when it is not given; a setting without it is then undefined. */
  readonly default?: string | number | boolean;
  /** Takes what `cdk -c` gives (text) and what cdk.json gives (JSON), and makes the typed value of both. */
  readonly schema: z.ZodMiniType;
}

const text = (expression: RegExp) => z.string().check(z.regex(expression));
const digits = z.pipe(text(/^(?:0|[1-9]\d*)$/), z.transform(Number));
const whole = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  z.pipe(z.union([z.int(), digits]), z.int().check(z.minimum(minimum), z.maximum(maximum)));
const flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false'])]),
  z.transform((value) => value === true || value === 'true'),
);

/** What CloudWatch Logs takes (PutRetentionPolicy). */
const RETENTION_DAYS = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
];

const retentionDays = whole(1).check(z.refine((days) => RETENTION_DAYS.includes(days)));

/** One row a setting: the types, the errors and the tables for people are made from it. */
export const SETTINGS = {
  stage: {
    about:
      'Name of this installation. Stages of one account have nothing in common; another name is another installation',
    allowed: 'a lower-case letter, then up to 19 lower-case letters, digits and hyphens',
    default: 'prod',
    schema: text(/^[a-z][a-z0-9-]{0,19}$/),
  },
  convertMemory: {
    about: 'Memory of `convert` in MB; Lambda gives it processor time in proportion',
    allowed: 'a whole number from 128 to 10240',
    default: 1024,
    schema: whole(128, 10_240),
  },
  convertProvisionedConcurrency: {
    about: 'Instances of `convert` that are kept warm, at a price by the hour',
    allowed: 'a whole number; 0 is none',
    default: 0,
    schema: whole(0),
  },
  convertReservedConcurrency: {
    about: 'Instances that the account keeps for `convert`, which are its limit too',
    allowed:
      'a whole number, at least 50: each lets about 10 requests a second through, and one apiserver that lists objects sends 200, for it converts them one by one; with less, lists would fail',
    schema: whole(50),
  },
  apiReservedConcurrency: {
    about: 'Instances that the account keeps for `api`, which are its limit too',
    allowed: 'a whole number, at least 1',
    schema: whole(1),
  },
  apiReadRpm: {
    about: 'Requests a minute, and at once, that one caller of the API may send to read',
    allowed: 'a whole number; 0 is no limit',
    default: 600,
    schema: whole(0),
  },
  apiWriteRpm: {
    about: 'Requests a minute, and at once, that one caller of the API may send to change something',
    allowed: 'a whole number; 0 is no limit',
    default: 120,
    schema: whole(0),
  },
  appMaxReservedConcurrency: {
    about: 'Instances that apps may reserve together; what they reserve is missing elsewhere in the account',
    allowed: 'a whole number; 0 is none',
    default: 500,
    schema: whole(0),
  },
  workerMaxConcurrency: {
    about: 'Apps that are worked on at the same time: deployed, stopped, started, removed',
    allowed: 'a whole number from 2, which is the least that Lambda takes, to 1000',
    default: 5,
    schema: whole(2, 1_000),
  },
  alarmEmail: {
    about: 'Where alarms are sent; AWS asks that address for a confirmation first',
    allowed: 'an e-mail address',
    schema: text(EMAIL_ADDRESS),
  },
  logRetentionDays: {
    about: 'How long logs are kept, in days',
    allowed: `one of ${RETENTION_DAYS.join(', ')}`,
    default: 30,
    schema: retentionDays,
  },
  appLogRetentionDays: {
    about: 'How long logs of apps are kept, in days; it counts for an app from its next deploy',
    allowed: `one of ${RETENTION_DAYS.join(', ')}`,
    default: 30,
    schema: retentionDays,
  },
  removalPolicy: {
    about: 'What deleting the stack does to data, and to the URL that CRDs have: destroy is for trials',
    allowed: 'retain or destroy',
    default: 'retain',
    schema: z.enum(['retain', 'destroy']),
  },
  convertTracing: {
    about: 'X-Ray traces of `convert`',
    allowed: 'active or off',
    default: 'off',
    schema: z.enum(['active', 'off']),
  },
  apiTracing: {
    about: 'X-Ray traces of `api`',
    allowed: 'active or off',
    default: 'active',
    schema: z.enum(['active', 'off']),
  },
  deploy: {
    about:
      'How a new version goes live: canary goes back when an alarm is red, all-at-once ships a fix through red alarms',
    allowed: 'canary or all-at-once',
    default: 'canary',
    schema: z.enum(['canary', 'all-at-once']),
  },
  convertDomain: {
    about: 'Domain name of `convert`, in place of the function URL',
    allowed: 'a DNS name in lower case, such as convert.example.com: no https://, port, path or wildcard',
    schema: text(DOMAIN_NAME),
  },
  convertCertificateArn: {
    about: 'Certificate of convertDomain, in the Region of the stack',
    allowed: 'the ARN of an ACM certificate, arn:aws:acm:<region>:<account>:certificate/<id>',
    schema: text(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[A-Za-z0-9-]+$/),
  },
  customerKey: {
    about: 'Whether the table gets a KMS key of this account, at a price by the month, in place of one that AWS owns',
    allowed: 'true or false',
    default: false,
    schema: flag,
  },
  brandFile: {
    about: 'Name, links, colours and logo of this installation',
    allowed: 'the path of a brand file, absolute or relative to the root of the repository',
    default: 'brand.yaml',
    schema: z.string().check(z.minLength(1)),
  },
} as const satisfies Readonly<Record<string, Setting>>;

type Table = typeof SETTINGS;
export type SettingName = keyof Table;
type WithDefault = { [Name in SettingName]: Table[Name] extends { default: unknown } ? Name : never }[SettingName];

/** The settings of a deployment, checked. Those without a default are missing when they are not given. */
export type Settings = {
  readonly [Name in WithDefault]: z.infer<Table[Name]['schema']>;
} & {
  readonly [Name in Exclude<SettingName, WithDefault>]?: z.infer<Table[Name]['schema']>;
};
