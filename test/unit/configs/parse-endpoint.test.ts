import { describe, expect, test } from 'vitest';
import { parseEndpoint } from '../../../lib/configs/parse-endpoint.ts';
import { type Resource, readResource } from '../../../lib/configs/resource.ts';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import { stringifyJson } from '../../../lib/k8s/json.ts';
import { webhookServer } from '../../support/widgets.ts';

function parse(raw: Json) {
  return parseEndpoint(readResource(raw, 'config', stringifyJson).value as Resource);
}

describe('a ConversionWebhookServer', () => {
  test.each<{ title: string; spec: JsonObject; expected: object }>([
    { title: 'needs nothing but a name', spec: {}, expected: { name: 'public', default: false } },
    { title: 'can be the default', spec: { default: true }, expected: { name: 'public', default: true } },
    {
      title: 'has a selector',
      spec: { cacheSelector: { matchLabels: { team: 'a' }, matchExpressions: [{ key: 'env', operator: 'Exists' }] } },
      expected: {
        name: 'public',
        default: false,
        selector: { matchLabels: { team: 'a' }, matchExpressions: [{ key: 'env', operator: 'Exists' }] },
      },
    },
    {
      title: 'may have an empty selector',
      spec: { cacheSelector: {} },
      expected: { name: 'public', default: false, selector: {} },
    },
  ])('$title', ({ spec, expected }) => {
    const { value, diagnostics } = parse(webhookServer('public', spec));
    expect(diagnostics).toEqual([]);
    expect(value).toEqual(expected);
  });

  test('may have no spec at all', () => {
    const { spec: _spec, ...resource } = webhookServer('public');
    expect(parse(resource)).toEqual({ value: { name: 'public', default: false }, diagnostics: [] });
  });

  const KNOBS = [
    ...['namespace', 'replicas', 'autoscaling', 'image', 'resources', 'nodeSelector', 'tolerations', 'affinity'],
    ...['priorityClassName', 'serviceAccountName', 'topologySpreadConstraints', 'podAnnotations', 'podLabels'],
    ...['extraArgs', 'extraEnv', 'extraVolumes', 'extraVolumeMounts', 'certificate', 'service', 'podDisruptionBudget'],
  ];
  test.each(KNOBS)('is warned that spec.%s means nothing here', (knob) => {
    const { value, diagnostics } = parse(webhookServer('public', { [knob]: 'anything' }));
    expect(value).toBeDefined();
    expect(diagnostics).toMatchObject([{ code: 'KNOB_UNUSED', severity: 'warning', path: `spec.${knob}` }]);
    expect(diagnostics[0]?.message).toContain('means nothing here');
  });

  test('gets one warning for each knob, with its line', () => {
    const text = `apiVersion: terasky.com/v1alpha1
kind: ConversionWebhookServer
metadata: {name: public}
spec:
  replicas: 3
  certificate: {issuerRef: {name: ca}}
`;
    expect(parse(text).diagnostics.map(({ path, line }) => [path, line])).toEqual([
      ['spec.replicas', 5],
      ['spec.certificate', 6],
    ]);
  });

  test.each<{ title: string; resource: JsonObject; expected: string[] }>([
    { title: 'an unknown key', resource: webhookServer('public', { replica: 2 }), expected: ['CONFIG_UNKNOWN_KEY'] },
    {
      title: 'a default that is no boolean',
      resource: webhookServer('public', { default: 'yes' }),
      expected: ['CONFIG_FIELD'],
    },
    { title: 'a name that is none', resource: webhookServer('Public_'), expected: ['CONFIG_NAME'] },
    { title: 'another kind', resource: { ...webhookServer('public'), kind: 'Service' }, expected: ['CONFIG_KIND'] },
    {
      title: 'a selector with several faults',
      resource: webhookServer('public', {
        cacheSelector: { matchLabels: { '-': 'x' }, matchExpressions: [{ key: 'a', operator: 'Is' }], other: 1 },
      }),
      expected: ['SELECTOR_INVALID', 'SELECTOR_INVALID', 'SELECTOR_INVALID'],
    },
  ])('is refused for $title', ({ resource, expected }) => {
    const { diagnostics } = parse(resource);
    expect(diagnostics.map(({ code }) => code)).toEqual(expected);
    expect(diagnostics.every(({ severity, hint }) => severity === 'error' && hint)).toBe(true);
  });
});
