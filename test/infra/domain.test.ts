import { describe, expect, test } from 'vitest';
import { EVERYTHING, synthesise } from '../support/synthesise.ts';

const DOMAIN = { convertDomain: EVERYTHING.convertDomain, convertCertificateArn: EVERYTHING.convertCertificateArn };
const URL = `https://${EVERYTHING.convertDomain}`;
const without = synthesise();
const stack = synthesise(DOMAIN);
const { at, text } = stack;

const paths = (type: string) => stack.paths(`AWS::ApiGatewayV2::${type}`);
const one = (type: string) => {
  const [path = '', ...others] = paths(type);
  expect(others).toEqual([]);
  return at(path).Properties;
};

describe('a domain in front of convert', () => {
  test('brings an HTTP API, its access log and two alarms, and nothing else', () => {
    const added = Object.keys(stack.resources).filter((path) => !(path in without.resources));
    const others = added.filter((path) => !path.startsWith('Convert/Domain/'));
    expect(others).toEqual(['Alarms/domain-5xx', 'Alarms/domain-latency']);
    expect(Object.keys(without.resources).filter((path) => !(path in stack.resources))).toEqual([]);
    expect(without.template.findResources('AWS::ApiGatewayV2::Api')).toEqual({});
    expect(without.paths('AWS::Logs::LogGroup')).not.toContain('Convert/Domain/AccessLogs');
  });

  test('is Regional, with TLS 1.2 and the certificate', () => {
    const { DomainName, DomainNameConfigurations } = one('DomainName');
    expect(DomainName).toBe('convert.example.org');
    expect(DomainNameConfigurations).toEqual([
      {
        CertificateArn: EVERYTHING.convertCertificateArn,
        EndpointType: 'REGIONAL',
        SecurityPolicy: 'TLS_1_2',
      },
    ]);
  });

  test('is the only way in: the name that AWS gives the API is off', () => {
    const { Name: _, Description: __, Tags: ___, ...api } = one('Api');
    expect(api).toEqual({ ProtocolType: 'HTTP', DisableExecuteApiEndpoint: true });
  });

  test('has one route, for reviews', () => {
    const { RouteKey, Target, ApiId, ...route } = one('Route');
    expect(RouteKey).toBe('POST /convert/{path+}');
    expect(route).toEqual({ AuthorizationType: 'NONE' });
    expect(text(ApiId)).toBe('<Convert/Domain/Api>');
    expect(text(Target)).toBe(`integrations/<${paths('Integration')[0]}>`);
  });

  test('calls the alias with the events of a function URL', () => {
    const { IntegrationUri, ApiId, ...integration } = one('Integration');
    expect(integration).toEqual({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
    expect(text(IntegrationUri)).toBe('<Convert/Service/Function/Aliaslive>');
    expect(text(ApiId)).toBe('<Convert/Domain/Api>');
  });

  test('is mapped to the stage $default, which every deployment reaches by itself', () => {
    const { StageName, AutoDeploy, ApiId } = one('Stage');
    expect({ StageName, AutoDeploy, ApiId: text(ApiId) }).toEqual({
      StageName: '$default',
      AutoDeploy: true,
      ApiId: '<Convert/Domain/Api>',
    });
    const mapping = one('ApiMapping');
    expect(
      Object.entries(mapping)
        .map(([key, value]) => [key, text(value)])
        .sort(),
    ).toEqual([
      ['ApiId', '<Convert/Domain/Api>'],
      ['DomainName', '<Convert/Domain/Name>'],
      ['Stage', '$default'],
    ]);
  });

  test('logs no path, for that has the token', () => {
    const { DestinationArn, Format } = one('Stage').AccessLogSettings;
    expect(text(DestinationArn)).toBe('<Convert/Domain/AccessLogs.Arn>');
    const variables = Object.values<string>(JSON.parse(Format));
    for (const variable of variables) expect(variable).toMatch(/^\$context\.[a-zA-Z.]+$/);
    expect(variables.filter((variable) => /path/i.test(variable))).toEqual([]);
    const known = ['requestId', 'requestTime', 'identity.sourceIp', 'routeKey', 'status', 'integrationErrorMessage'];
    expect(variables).toEqual(expect.arrayContaining(known.map((name) => `$context.${name}`)));
  });

  test.each(['Api/Service', 'Synthetic/Prober'])('is the address of convert for %s', (path) => {
    expect(at(`${path}/Function`).Properties.Environment.Variables.CONVERT_URL).toBe(URL);
  });

  test('is an output, with the name that its DNS record points at', () => {
    expect(stack.outputs['ConvertUrl'].Value).toBe(URL);
    expect(text(stack.outputs['ConvertDomainTarget'].Value)).toBe('<Convert/Domain/Name.RegionalDomainName>');
    expect(without.outputs).not.toHaveProperty('ConvertDomainTarget');
  });

  test('leaves the function URL as it was', () => {
    for (const name of ['', '/FunctionUrl', '/invoke-function-url', '/invoke-function']) {
      const path = `Convert/Service/Function/Aliaslive${name}`;
      expect(stack.ids[path]).toBe(without.ids[path]);
      expect(at(path)).toEqual(without.at(path));
    }
    expect(stack.ids['Convert/Service/Function/Aliaslive/FunctionUrl']).toBe('ConvertUrl');
  });
});
