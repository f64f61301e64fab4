import * as z from 'zod/mini';
import type { Attempt } from '../../apps/model.ts';
import type { AppService } from '../../apps/types.ts';
import { renderAttempt, renderAttemptDetail, renderFailed } from '../../apps/views.ts';
import type { Clock } from '../../clock.ts';
import { type Route, type RouteOutput, route } from '../route.ts';
import { answerApp, answerList, linkNext } from './answers.ts';
import { appView, attemptDetailView, attemptView, failedView } from './app-schemas.ts';
import { duration, lenientCount, refuseQuery } from './queries.ts';

interface DeployDeps {
  readonly apps: AppService;
  readonly clock: Clock;
}

const APP = '/api/v1/apps/{name}';
const DEPLOYS = `${APP}/deploys` as const;
const DEPLOY = `${DEPLOYS}/{deployId}` as const;

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
const DAY_MS = 86_400_000;

const attemptsQuery = z.strictObject({
  limit: lenientCount(1, MAX_LIMIT),
  before: z.exactOptional(z.string().check(z.meta({ description: 'id of an attempt: those older than it' }))),
});

type AttemptsQuery = z.infer<typeof attemptsQuery>;

async function listAttempts(
  path: string,
  name: string,
  { limit = DEFAULT_LIMIT, before }: AttemptsQuery,
  { apps }: DeployDeps,
): Promise<RouteOutput> {
  const [app, attempts] = await Promise.all([apps.get(name), apps.attempts(name, { limit, before })]);
  const last = attempts.at(-1);
  // Attempts are numbered from 1 without gaps, so the first one has nothing after it.
  const more = attempts.length === limit && last !== undefined && last.number > 1;
  const headers = more ? linkNext(path.replace('{name}', encodeURIComponent(name)), { limit, before: last.id }) : {};
  const render = (attempt: Attempt) => renderAttempt(name, attempt);
  return answerList(attempts.map(render), app.nextAttempt - 1, headers);
}

/** Peer: its `deploys` were conditions, and the attempts had a list of their own; here both are attempts. */
const attemptLists = [DEPLOYS, `${APP}/deploy-attempts` as const].map((path) =>
  route({
    method: 'GET',
    path,
    ability: 'read',
    summary: 'The attempts of an app to deploy, newest first',
    query: attemptsQuery,
    response: z.array(attemptView),
    handle: async ({ params, query }, deps: DeployDeps) => await listAttempts(path, params.name, query, deps),
  }),
);

export const deployRoutes: readonly Route<DeployDeps>[] = [
  ...attemptLists,
  route({
    method: 'POST',
    path: DEPLOYS,
    ability: 'deploy',
    summary: 'Deploy an image or an uploaded package; it goes live once it has answered its health path',
    body: z.strictObject({ image: z.string().check(z.minLength(1)) }),
    response: appView,
    handle: async ({ params, body, caller, precondition }, { apps }: DeployDeps) =>
      answerApp(await apps.deploy(params.name, body.image, caller, precondition), 202),
  }),
  route({
    method: 'GET',
    path: DEPLOY,
    ability: 'read',
    summary: 'One attempt, by its id or as `latest`, with its steps, its settings and why it failed',
    response: attemptDetailView,
    handle: async ({ params }, { apps }: DeployDeps) => {
      const { attempt } = await apps.attempt(params.name, params.deployId);
      return { body: renderAttemptDetail(params.name, attempt) };
    },
  }),
  route({
    method: 'POST',
    path: `${DEPLOY}/cancel`,
    ability: 'deploy',
    summary: 'Cancel an attempt, as long as traffic has not begun to move to it',
    unconditional: true,
    response: attemptView,
    handle: async ({ params, caller }, { apps }: DeployDeps) => ({
      body: renderAttempt(params.name, await apps.cancel(params.name, params.deployId, caller)),
    }),
  }),
  route({
    method: 'POST',
    path: `${DEPLOY}/rollback`,
    ability: 'deploy',
    summary: 'Go back to code, variables and settings of an attempt that had succeeded, as a new release',
    unconditional: true,
    response: appView,
    handle: async ({ params, caller }, { apps }: DeployDeps) =>
      answerApp(await apps.rollback(params.name, params.deployId, caller), 202),
  }),
  route({
    method: 'GET',
    path: '/api/v1/deploys/failed',
    ability: 'read',
    summary: 'Apps whose latest attempt failed and began in this time (24h unless given), newest first',
    query: z.strictObject({ since: z.exactOptional(duration) }),
    response: z.array(failedView),
    handle: async ({ query: { since = DAY_MS } }, { apps, clock }: DeployDeps) => {
      if (since <= 0) throw refuseQuery('since', 'a duration greater than zero is needed, such as 24h');
      const failed = await apps.failed(clock.now() - since);
      return answerList(failed.flatMap((app) => (app.attempt ? [renderFailed({ ...app, attempt: app.attempt })] : [])));
    },
  }),
];
