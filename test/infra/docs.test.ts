import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS, type Setting } from '../../infra/settings-table.ts';
import { METRICS } from '../../lib/telemetry/metric-catalogue.ts';
import { synthesise } from '../support/synthesise.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/deploy.md'), 'utf8');

test('docs/deploy.md has every setting as it is', () => {
  const rows = Object.entries<Setting>(SETTINGS).map(([name, { default: value, about, allowed }]) => {
    return `| \`${name}\` | ${value === undefined ? '' : `\`${value}\``} | ${about} | ${allowed} |`;
  });
  expect(guide).toContain(['|---|---|---|---|', ...rows, ''].join('\n'));
});

test('docs/deploy.md counts the alarms and the metrics that it adds up', () => {
  const { paths, at } = synthesise();
  const alarms = paths('AWS::CloudWatch::Alarm').map((path) => at(path).Properties);
  const looked = alarms.flatMap(({ Metrics = [{ MetricStat: true }] }) =>
    Metrics.filter((part: any) => part.MetricStat),
  );
  expect(guide).toContain(`${alarms.length} alarms, ${looked.length} metrics`);

  const always = Object.values(METRICS);
  const stage = always.filter(({ service }) => service === 'convert').length;
  const target = always.filter(({ byTarget }) => byTarget).length;
  expect(guide).toContain(`${stage} of the stage and ${target} for each target`);
});

test('docs/deploy.md names every output', () => {
  const { outputs } = synthesise({
    convertDomain: 'convert.example.org',
    convertCertificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0b1c2d3e',
  });
  for (const name of Object.keys(outputs)) expect(guide).toContain(`\`${name}\``);
});
