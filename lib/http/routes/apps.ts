import * as z from 'zod/mini';
import type { Condition } from '../../apps/model.ts';
import { type ParseContext, parseApp } from '../../apps/spec/parse-app.ts';
import { type AppState, stateOf } from '../../apps/status.ts';
import type { AppResult, AppService } from '../../apps/types.ts';
import { appEtag, renderListItem, renderResult } from '../../apps/views.ts';
import { type Route, type RouteOutput, route } from '../route.ts';
import { answerApp, answerList, answerTagged, linkNext } from './answers.ts';
import { appBody, appListItem, appResult, appView, conditionView } from './app-schemas.ts';
import { lenientCount } from './queries.ts';

interface AppDeps {
  readonly apps: AppService;
  /** What the account and the stage allow an app to be. */
  readonly appContext: ParseContext;
}

const LIST = '/api/v1/apps';
const APP = `${LIST}/{name}` as const;

const MAX_LIMIT = 500;

const COUNTS = ['running', 'failing', 'deploying', 'stopped', 'unknown'] as const;
type Count = (typeof COUNTS)[number];

/** The words of the peer for what is true of an app. */
const COUNTED_AS: Readonly<Record<AppState['name'], Count>> = {
  never_deployed: 'unknown',
  stopped: 'stopped',
  deploying: 'deploying',
  healthy: 'running',
  degraded: 'failing',
  failed: 'failing',
  deleting: 'deploying',
};

/** Marks that another part of the system then makes true. */
const ACTIONS = [
  ['stop', 'Stop an app: its URL answers 429 until it is started; twice is as once'],
  ['start', 'Start an app that was stopped; twice is as once'],
  ['restart', 'Replace what runs by fresh instances with the same code and the settings of today'],
] as const;

const actionRoutes = ACTIONS.map(([action, summary]) =>
  route({
    method: 'POST',
    path: `${APP}/${action}` as const,
    ability: 'deploy',
    summary,
    response: appView,
    handle: async ({ params, caller, precondition }, { apps }: AppDeps) =>
      answerApp(await apps[action](params.name, caller, precondition)),
  }),
);

export const appRoutes: readonly Route<AppDeps>[] = [
  route({
    method: 'GET',
    path: LIST,
    ability: 'read',
    summary: 'List apps by name, each with its status',
    query: z.strictObject({
      q: z.exactOptional(z.string().check(z.meta({ description: 'a part of the name' }))),
      limit: lenientCount(1, MAX_LIMIT),
      offset: lenientCount(0),
    }),
    response: z.array(appListItem),
    handle: async ({ query }, { apps }: AppDeps) => {
      const { q, limit = MAX_LIMIT, offset = 0 } = query;
      const { apps: found, total } = await apps.list({ q, limit, offset });
      const end = offset + found.length;
      const headers = end < total ? linkNext(LIST, { q, limit, offset: end }) : {};
      return answerList(found.map(renderListItem), total, headers);
    },
  }),
  route({
    method: 'POST',
    path: LIST,
    ability: 'write',
    summary: 'Create an app, and deploy its image unless that ends in :pending',
    unconditional: true,
    body: appBody,
    response: appResult,
    handle: async ({ body, caller }, { apps, appContext }: AppDeps) => {
      const { name, ...input } = parseApp(body, appContext);
      return answerResult(await apps.create(name, input, caller), 201);
    },
  }),
  route({
    method: 'GET',
    path: APP,
    ability: 'read',
    summary: 'One app: what it should be, what it is, its live release and its latest attempt',
    response: appView,
    handle: async ({ params }, { apps }: AppDeps) => answerApp(await apps.get(params.name)),
  }),
  route({
    method: 'PUT',
    path: APP,
    ability: 'write',
    summary: 'Replace what an app should be; another image is deployed, other settings wait for a deploy or restart',
    body: appBody,
    response: appResult,
    handle: async ({ params, body, caller, precondition }, { apps, appContext }: AppDeps) => {
      const { name, ...input } = parseApp(body, appContext, params.name);
      return answerResult(await apps.replace(name, input, caller, precondition));
    },
  }),
  route({
    method: 'DELETE',
    path: APP,
    ability: 'write',
    summary: 'Remove an app and all that belongs to it: 204 when that is done, 202 while it goes on',
    response: appView,
    handle: async ({ params, caller, precondition }, { apps }: AppDeps) => {
      const app = await apps.remove(params.name, caller, precondition);
      return app.deletion === undefined ? { status: 204 } : answerApp(app, 202);
    },
  }),
  ...actionRoutes,
  route({
    method: 'GET',
    path: `${APP}/conditions`,
    ability: 'read',
    summary: 'What was last found out about an app, one condition a type',
    response: z.array(conditionView),
    handle: async ({ params }, { apps }: AppDeps) =>
      answerList((await apps.conditions(params.name)).map(renderCondition)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/apps-summary',
    ability: 'read',
    summary: 'How many apps there are, and how many in each state',
    response: z.record(z.enum(['total', ...COUNTS]), z.int()),
    handle: async (_input, { apps }: AppDeps) => ({ body: await countApps(apps) }),
  }),
];

async function countApps(apps: AppService): Promise<Record<'total' | Count, number>> {
  const counts = { total: 0, running: 0, failing: 0, deploying: 0, stopped: 0, unknown: 0 };
  for (let more = true; more; ) {
    const { apps: page, total } = await apps.list({ limit: MAX_LIMIT, offset: counts.total });
    for (const app of page) counts[COUNTED_AS[stateOf(app).name]] += 1;
    counts.total += page.length;
    more = page.length > 0 && counts.total < total;
  }
  return counts;
}

function answerResult(result: AppResult, status = 200): RouteOutput {
  return answerTagged(renderResult(result), appEtag(result.app), status);
}

/** PascalCase, as clients of the peer read it. */
function renderCondition({ type, status, reason, message, lastTransitionAt, lastObservedAt }: Condition) {
  return {
    Type: type,
    Status: status,
    Reason: reason,
    Message: message,
    LastTransitionTime: new Date(lastTransitionAt).toISOString(),
    LastObservedTime: new Date(lastObservedAt).toISOString(),
  };
}
