import * as z from 'zod/mini';
import type { EndpointService } from '../../configs/types.ts';
import { limitResult } from '../findings.ts';
import { type Route, route } from '../route.ts';
import { answerPage, answerTagged } from './answers.ts';
import * as schemas from './schemas.ts';

interface EndpointDeps {
  readonly endpoints: EndpointService;
}

const DAY_SECONDS = 86_400;

const graceSeconds = z.int().check(
  z.minimum(0),
  z.maximum(30 * DAY_SECONDS),
  z.meta({
    default: DAY_SECONDS,
    description:
      'How long the old token stays valid. Each instance looks for changes every 5 seconds, so whatever is given here, ' +
      'an instance may take the old token for up to 5 seconds; for longer only while the database does not answer.',
  }),
);

/** Answers that make a token show its text this once; only a hash of it is kept. */
export const endpointRoutes: readonly Route<EndpointDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/endpoints',
    ability: 'read',
    summary: 'List endpoints',
    query: schemas.pageQuery,
    response: schemas.page(schemas.endpointView),
    handle: async ({ query }, { endpoints }: EndpointDeps) => answerPage(await endpoints.list(query)),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/endpoints/{name}',
    ability: 'write:sensitive',
    summary: 'Create or change an endpoint from a ConversionWebhookServer',
    body: schemas.resource,
    response: schemas.endpointResult,
    handle: async ({ params, body, precondition }, { endpoints }: EndpointDeps) => {
      const result = await endpoints.put(params.name, body, precondition);
      return answerTagged(limitResult(result, 'diagnostics'), result.endpoint.etag, result.created ? 201 : 200);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/endpoints/{name}',
    ability: 'read',
    summary: 'One endpoint',
    response: schemas.endpointView,
    handle: async ({ params }, { endpoints }: EndpointDeps) => {
      const view = await endpoints.get(params.name);
      return answerTagged(view, view.etag);
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/endpoints/{name}',
    ability: 'write:sensitive',
    summary: 'Remove an endpoint; its URL stops to answer, within 5 s',
    response: z.undefined(),
    handle: async ({ params, precondition }, { endpoints }: EndpointDeps) => {
      await endpoints.remove(params.name, precondition);
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/endpoints/{name}/rotate',
    ability: 'write:sensitive',
    summary: 'Make a new token, which works at once; the one before it stays valid for a while',
    body: z.optional(z.strictObject({ graceSeconds: z.exactOptional(graceSeconds) })),
    response: schemas.endpointResult,
    handle: async ({ params, body, precondition }, { endpoints }: EndpointDeps) => {
      const result = await endpoints.rotate(params.name, { ...body, ...precondition });
      return answerTagged(limitResult(result, 'diagnostics'), result.endpoint.etag);
    },
  }),
];
