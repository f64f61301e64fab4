import * as z from 'zod/mini';
import type { AppService } from '../../apps/types.ts';
import { AppError } from '../../errors.ts';
import type { SystemService } from '../../system/service.ts';
import { type Route, route } from '../route.ts';
import { answerList } from './answers.ts';

interface StatusDeps {
  readonly system: SystemService;
  readonly apps: Pick<AppService, 'get'>;
}

const text = z.exactOptional(z.string());
const texts = z.exactOptional(z.array(z.string()));

const status = z.strictObject({
  secrets_configured: z.boolean(),
  telemetry_configured: z.boolean(),
  alerts_configured: z.boolean(),
  database_connected: z.boolean(),
  runtime_connected: z.boolean(),
  account: z.exactOptional(
    z.strictObject({
      code_bytes: z.int(),
      code_bytes_limit: z.int(),
      functions: z.int(),
      concurrency: z.int(),
      unreserved_concurrency: z.int(),
      fetched_at: z.string(),
    }),
  ),
});

const doctor = z.strictObject({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      code: z.string(),
      name: z.string(),
      status: z.enum(['ok', 'warn', 'fail', 'unknown']),
      message: z.string(),
      fix: text,
    }),
  ),
});

const certificate = z.strictObject({
  domain: z.string(),
  sans: texts,
  issuer: text,
  not_before: z.string(),
  not_after: z.string(),
  status: z.enum(['healthy', 'expiring_soon', 'expired']),
});

const domainCheck = z.strictObject({
  domain: z.string(),
  expected_host: text,
  host_inferred: z.exactOptional(z.literal(true)),
  resolved: z.boolean(),
  resolved_hosts: texts,
  status: z.enum(['connected', 'not_resolving', 'resolves_elsewhere', 'unconfigured']),
  expected_ipv4: texts,
  expected_ipv6: texts,
  routing: z.literal('none'),
});

export const statusRoutes: readonly Route<StatusDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/system/status',
    ability: 'read',
    summary: 'What is configured and connected, and what the account has left; always 200',
    response: status,
    handle: async (_input, { system }: StatusDeps) => ({ body: await system.status() }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/system/doctor',
    ability: 'read',
    summary: 'Every check, made now: what is wrong and what to do about it; always 200',
    response: doctor,
    handle: async (_input, { system }: StatusDeps) => ({ body: await system.doctor() }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/certificates',
    ability: 'read',
    summary: 'The certificates of this Region that cover a claimed domain',
    response: z.array(certificate),
    handle: async (_input, { system }: StatusDeps) => answerList(await system.certificates()),
  }),
  route({
    method: 'GET',
    path: '/api/v1/apps/{name}/domains/{domain}/check',
    ability: 'read',
    summary: 'Where a domain of the app leads, and where it should',
    response: domainCheck,
    handle: async ({ params, host }, { system, apps }: StatusDeps) => {
      const { spec } = await apps.get(params.name);
      if (!spec.domains.includes(params.domain)) {
        const hint = 'PUT /api/v1/apps/{name} with it among its domains claims it';
        throw new AppError(
          'NOT_FOUND',
          `the app ${params.name} has no domain ${JSON.stringify(params.domain)}; ${hint}`,
        );
      }
      return { body: await system.checkDomain(params.domain, host?.replace(/:\d+$/, '')) };
    },
  }),
];
