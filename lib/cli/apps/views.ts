import type { Listing } from '../output/listing.ts';
import { megabytes } from './pack/walk.ts';
import type { App, Attempt, Certificate, Secret, Token } from './shapes.ts';

export const APP_LISTING: Listing<App> = {
  none: 'no apps',
  name: ({ name }) => name,
  columns: [
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'STATE', cell: ({ state }) => state.name },
    { header: 'RELEASE', cell: ({ live }) => text(live?.release) },
    { header: 'SETTINGS', cell: ({ live, env_dirty }) => (live ? (env_dirty ? 'changed' : 'live') : '') },
    { header: 'URL', cell: ({ url }) => text(url) },
    { header: 'IMAGE', cell: ({ image }) => image, wide: true },
    { header: 'DOMAINS', cell: ({ domains = [] }) => domains.join(','), wide: true },
    { header: 'UPDATED', cell: ({ updated_at }) => text(updated_at), wide: true },
    { header: 'REASON', cell: ({ state }) => state.reason, wide: true },
  ],
};

export const ATTEMPT_LISTING: Listing<Attempt> = {
  none: 'no deploys',
  name: ({ id }) => id,
  columns: [
    { header: 'ID', cell: ({ id }) => id },
    { header: 'STATUS', cell: ({ status }) => status },
    { header: 'RELEASE', cell: ({ release }) => text(release) },
    { header: 'SOURCE', cell: ({ source }) => text(source) },
    { header: 'STARTED', cell: ({ started_at, queued_at }) => text(started_at ?? queued_at) },
    { header: 'CAUSE', cell: (attempt) => causeOf(attempt) },
    { header: 'FINISHED', cell: ({ finished_at }) => text(finished_at), wide: true },
    { header: 'IMAGE', cell: ({ image }) => text(image), wide: true },
  ],
};

export const FAILED_LISTING: Listing<Attempt> = {
  none: 'no app whose last deploy failed',
  name: ({ service_name, id }) => `${service_name ?? ''} ${id}`.trim(),
  columns: [
    { header: 'APP', cell: ({ service_name }) => text(service_name) },
    { header: 'ID', cell: ({ id }) => id },
    { header: 'STARTED', cell: ({ started_at, queued_at }) => text(started_at ?? queued_at) },
    { header: 'STEP', cell: ({ failure, step }) => text(failure?.failing_step ?? step) },
    { header: 'CODE', cell: ({ failure }) => text(failure?.code) },
    { header: 'CAUSE', cell: (attempt) => causeOf(attempt) },
    { header: 'FIX', cell: ({ failure }) => text(failure?.suggested_fix), wide: true },
    { header: 'SERVES ON', cell: ({ last_good_image }) => text(last_good_image), wide: true },
  ],
};

export const SECRET_LISTING: Listing<Secret> = {
  none: 'no secrets',
  name: ({ key }) => key,
  columns: [
    { header: 'KEY', cell: ({ key }) => key },
    { header: 'LOCKED', cell: ({ locked }) => (locked ? 'yes' : 'no') },
    { header: 'UPDATED', cell: ({ updated_at }) => text(updated_at) },
  ],
};

export const CERTIFICATE_LISTING: Listing<Certificate> = {
  none: 'no certificates',
  name: ({ domain }) => domain,
  columns: [
    { header: 'DOMAIN', cell: ({ domain }) => domain },
    { header: 'STATUS', cell: ({ status }) => status },
    { header: 'UNTIL', cell: ({ not_after }) => text(not_after) },
    { header: 'ISSUER', cell: ({ issuer }) => text(issuer) },
    { header: 'SANS', cell: ({ sans = [] }) => sans.join(','), wide: true },
    { header: 'SINCE', cell: ({ not_before }) => text(not_before), wide: true },
  ],
};

export const TOKEN_LISTING: Listing<Token> = {
  none: 'no tokens',
  name: ({ id }) => id,
  columns: [
    { header: 'ID', cell: ({ id }) => id },
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'ABILITIES', cell: ({ abilities }) => abilities.join(',') },
    { header: 'ENDS', cell: ({ revoked_at, expires_at }) => (revoked_at ? `revoked ${revoked_at}` : text(expires_at)) },
    { header: 'LAST USED', cell: ({ last_used_at }) => text(last_used_at) },
    { header: 'CREATED', cell: ({ created_at }) => text(created_at), wide: true },
  ],
};

/** What a person wants to know of one app, a line each; nothing for what there is nothing to say of. */
export function describeApp(app: App): [string, string][] {
  const { live, latest_deploy: deploy, resources, deletion } = app;
  const memory = resources?.memory_bytes;
  const leftovers = deletion?.leftovers ?? [];
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['name', app.name],
    ['state', `${app.state.name}: ${app.state.reason}`],
    ['url', app.url],
    [
      'release',
      live && `${live.release} (${live.deploy_id}${live.since === undefined ? '' : `, since ${live.since}`})`,
    ],
    [
      'latest deploy',
      deploy && [deploy.id, deploy.status, deploy.finished_at ? '' : deploy.step].filter(Boolean).join(' '),
    ],
    ['image', app.image],
    ['settings', app.env_dirty ? 'changed since the live release; restart makes them count' : undefined],
    ['memory', memory === undefined ? undefined : megabytes(memory)],
    ['timeout', app.timeout_seconds === undefined ? undefined : `${app.timeout_seconds} s`],
    ['runtime', [app.runtime, app.handler, app.architecture].filter(Boolean).join(' ')],
    ['domains', app.domains?.join(', ')],
    ['variables', Object.keys(app.env ?? {}).join(', ')],
    ['secrets', app.secret_env?.join(', ')],
    ['created', app.created_at],
    ['updated', app.updated_at],
    ['deletion', deletion && `since ${text(deletion.requested_at)}`],
    ...leftovers.map(({ resource, reason }) => ['left over', `${resource}: ${text(reason)}`] as const),
  ];
  return facts.flatMap(([key, value]) => (value ? [[key, value] as [string, string]] : []));
}

/** The same of one deploy; why it failed is told by itself. */
export function describeAttempt(attempt: Attempt): [string, string][] {
  const { steps = [], rollback_of: back } = attempt;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['id', attempt.id],
    ['app', attempt.service_name],
    [
      'status',
      [attempt.status, causeOf({ ...attempt, failure: undefined, error: undefined })].filter(Boolean).join(' '),
    ],
    ['release', attempt.release === undefined ? undefined : String(attempt.release)],
    ['source', attempt.source],
    ['rollback', back?.release === undefined ? undefined : `to release ${back.release}`],
    ['image', attempt.image],
    ['queued', attempt.queued_at],
    ['started', attempt.started_at],
    ['finished', attempt.finished_at],
    ...steps.map(({ step, started_at, finished_at, detail }) => {
      const time = `${started_at} to ${finished_at ?? attempt.finished_at ?? 'now'}`;
      return [`step ${step}`, detail === undefined ? time : `${time}: ${detail}`] as const;
    }),
  ];
  return facts.flatMap(([key, value]) => (value ? [[key, value] as [string, string]] : []));
}

function causeOf({ failure, error, superseded_by, canceled_by, wait_reason }: Attempt): string {
  if (superseded_by !== undefined) return `by ${superseded_by}`;
  if (canceled_by !== undefined) return `by ${canceled_by}`;
  return failure?.cause ?? error ?? text(wait_reason);
}

function text(value: string | number | undefined): string {
  return value === undefined ? '' : String(value);
}
