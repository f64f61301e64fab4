import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { SETTINGS } from '../../infra/settings-table.ts';
import { EVERYTHING, type Resource, type Synthesised, synthesise } from '../support/synthesise.ts';

const standard = synthesise();
const everything = synthesise(EVERYTHING);

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-retention-'));
const otherBrand = join(folder, 'other.yaml');
copyFileSync(join(import.meta.dirname, '../../brand.yaml'), otherBrand);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Resources by logical id, as CloudFormation gets them. */
const raw = ({ template }: Synthesised): Record<string, any> => template.toJSON()['Resources'];
/** Kept when the stack is deleted: whatever happens, or but for the rollback of the operation that made it. */
const isKept = ({ DeletionPolicy, UpdateReplacePolicy }: Resource) =>
  (DeletionPolicy === 'Retain' || DeletionPolicy === 'RetainExceptOnCreate') && UpdateReplacePolicy === 'Retain';

/** Logical ids that a value refers to. */
function references(value: any): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof value.Ref === 'string') return [value.Ref];
  if (value['Fn::GetAtt'] !== undefined) return [value['Fn::GetAtt'][0]];
  return Object.values(value).flatMap(references);
}

describe('the URL that CRDs have', () => {
  const LITERAL = {
    ConvertFunction: 'AWS::Lambda::Function',
    ConvertAlias: 'AWS::Lambda::Alias',
    ConvertUrl: 'AWS::Lambda::Url',
  };

  test.each(Object.entries(LITERAL))('is kept by %s, whose logical id is fixed', (id, Type) => {
    for (const stack of [standard, everything]) {
      expect(raw(stack)[id]).toMatchObject({ Type, DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
  });

  const changes: Record<keyof typeof SETTINGS, object> = {
    stage: { stage: 'dev' },
    convertMemory: { convertMemory: 2048 },
    convertProvisionedConcurrency: { convertProvisionedConcurrency: 3 },
    convertReservedConcurrency: { convertReservedConcurrency: 50 },
    apiReservedConcurrency: { apiReservedConcurrency: 1 },
    apiReadRpm: { apiReadRpm: 1 },
    apiWriteRpm: { apiWriteRpm: 0 },
    appMaxReservedConcurrency: { appMaxReservedConcurrency: 0 },
    workerMaxConcurrency: { workerMaxConcurrency: 2 },
    alarmEmail: { alarmEmail: EVERYTHING.alarmEmail },
    logRetentionDays: { logRetentionDays: 7 },
    appLogRetentionDays: { appLogRetentionDays: 7 },
    removalPolicy: { removalPolicy: 'destroy' },
    convertTracing: { convertTracing: 'active' },
    apiTracing: { apiTracing: 'off' },
    deploy: { deploy: 'all-at-once' },
    convertDomain: {
      convertDomain: EVERYTHING.convertDomain,
      convertCertificateArn: EVERYTHING.convertCertificateArn,
    },
    convertCertificateArn: {
      convertDomain: 'convert.example.com',
      convertCertificateArn: EVERYTHING.convertCertificateArn,
    },
    customerKey: { customerKey: true },
    brandFile: { brandFile: otherBrand },
  };

  test.each(Object.entries(changes))('stays the same when %s changes', (_, change) => {
    const resources = raw(synthesise({ ...change }));
    for (const [id, Type] of Object.entries(LITERAL)) expect(resources[id]?.Type).toBe(Type);
    // CloudFormation makes a new URL, alias or function, and so a new host name, when one of these changes.
    const fn = { Ref: 'ConvertFunction' };
    const arn = { 'Fn::GetAtt': ['ConvertFunction', 'Arn'] };
    expect(resources['ConvertUrl'].Properties).toEqual({ AuthType: 'NONE', Qualifier: 'live', TargetFunctionArn: arn });
    expect(resources['ConvertAlias'].Properties).toMatchObject({ Name: 'live', FunctionName: fn });
    for (const property of ['FunctionName', 'PackageType', 'TenancyConfig']) {
      expect(resources['ConvertFunction'].Properties).not.toHaveProperty(property);
    }
  });

  test('and every setting was tried', () => {
    expect(Object.keys(changes)).toEqual(Object.keys(SETTINGS));
  });
});

describe('what is kept when the stack is deleted', () => {
  const logs = [
    ...['Convert', 'Api'].flatMap((name) => [`${name}/Service/Logs`, `${name}Deployment/Hook/Logs`]),
    ...['Worker/Service/Logs', 'Reconcile/Service/Logs', 'Synthetic/Prober/Logs'],
  ];
  /** What apps go on having: the ceiling of their roles, and what a rollback needs. */
  const ofApps = ['Apps/Artifacts/Bucket', 'Apps/Boundary/Policy'];
  const convert = [
    'Role',
    'Role/TableAccess',
    'Policy',
    'Function',
    'Function/CurrentVersion',
    'Function/Aliaslive',
    'Function/Aliaslive/FunctionUrl',
    'Function/Aliaslive/invoke-function-url',
    'Function/Aliaslive/invoke-function',
  ].map((path) => `Convert/Service/${path}`);
  const kept = ['Table/Table', ...logs, ...ofApps, ...convert];

  test.each([
    { title: 'the table, the logs, what apps have, and all that convert needs', stack: standard, paths: kept },
    {
      title: 'also the key of the table with the permission to use it, and the domain',
      stack: everything,
      paths: [
        ...kept,
        'Table/Key',
        'Convert/Service/Role/KeyAccess',
        ...Object.keys(everything.resources).filter((path) => path.startsWith('Convert/Domain/')),
      ],
    },
  ])('is $title', ({ stack, paths }) => {
    const found = Object.entries(stack.resources).filter(([, resource]) => isKept(resource));
    expect(found.map(([path]) => path).sort()).toEqual([...paths].sort());
  });

  test.each([
    ['standard', standard],
    ['everything', everything],
  ])('needs nothing that is deleted (%s)', (_, stack) => {
    const resources = raw(stack);
    const broken = Object.entries(resources)
      .filter(([, resource]) => isKept(resource))
      .flatMap(([id, { Properties }]) => references(Properties).map((other) => ({ id, other })))
      .filter(({ other }) => other in resources && !isKept(resources[other]));
    expect(broken).toEqual([]);
  });

  test('is not what a failed operation made: its logs, its bucket, and the version that it published', () => {
    const gone = Object.entries(everything.resources).filter(([, it]) => it.DeletionPolicy === 'RetainExceptOnCreate');
    const expected = [...logs, ...ofApps, 'Convert/Domain/AccessLogs'];
    expect(gone.map(([path]) => path).sort()).toEqual([...expected, 'Convert/Service/Function/CurrentVersion'].sort());
  });

  test('is nothing at all of a trial', () => {
    const destroy = { removalPolicy: 'destroy' };
    for (const stack of [synthesise(destroy), synthesise({ ...EVERYTHING, ...destroy })]) {
      const policies = Object.values(stack.resources).flatMap((resource) => [
        resource.DeletionPolicy ?? 'Delete',
        resource.UpdateReplacePolicy ?? 'Delete',
      ]);
      expect(new Set(policies)).toEqual(new Set(['Delete']));
      expect(stack.at('Table/Table').Properties.DeletionProtectionEnabled).toBe(false);
    }
  });
});
