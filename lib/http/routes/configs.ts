import * as z from 'zod/mini';
import type { ConfigService } from '../../configs/types.ts';
import type { Diagnostic } from '../../engine/diagnostic.ts';
import { AppError } from '../../errors.ts';
import { limitResult, type WithMoreFindings } from '../findings.ts';
import { type Route, route } from '../route.ts';
import { answerPage, answerTagged } from './answers.ts';
import * as schemas from './schemas.ts';

interface ConfigDeps {
  readonly configs: ConfigService;
  /** Where `convert` is reached from outside; the URL of a patch begins with it. */
  readonly convertUrl: string;
  /** For `clientConfig.caBundle` of a patch, when no public CA vouches for `convertUrl`. */
  readonly caBundle?: string;
}

export const configRoutes: readonly Route<ConfigDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/configs',
    ability: 'read',
    summary: 'List configs, by label selector if wanted',
    query: schemas.listQuery,
    response: schemas.page(schemas.configView),
    handle: async ({ query }, { configs }: ConfigDeps) => answerPage(await configs.list(query), limitWarnings),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/configs/{target}',
    ability: 'write',
    summary: 'Analyse a config with its CRD or XRD and make it the active revision',
    query: schemas.dryRunQuery,
    body: z.strictObject({ config: schemas.resource, schema: schemas.resource }),
    response: schemas.putResult,
    handle: async ({ params, query, body, precondition }, { configs }: ConfigDeps) => {
      const result = await configs.put(params.target, body, { ...query, ...precondition });
      const status = result.created && !query.dryRun ? 201 : 200;
      return answerTagged(limitResult(result, 'diagnostics'), result.etag, status);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/configs/{target}',
    ability: 'read',
    summary: 'One config and its active revision',
    response: schemas.configView,
    handle: async ({ params }, { configs }: ConfigDeps) => {
      const view = await configs.get(params.target);
      return answerTagged(limitWarnings(view), view.etag);
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/configs/{target}',
    ability: 'write',
    summary: 'Remove a config; refused while its schema serves several versions, unless forced',
    query: schemas.forceQuery,
    response: z.undefined(),
    handle: async ({ params, query, precondition }, { configs }: ConfigDeps) => {
      await configs.remove(params.target, { ...query, ...precondition });
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/configs/{target}/revisions',
    ability: 'read',
    summary: 'List the revisions of a config, newest first',
    query: schemas.pageQuery,
    response: schemas.page(schemas.revisionView),
    handle: async ({ params, query }, { configs }: ConfigDeps) =>
      answerPage(await configs.revisions(params.target, query), limitWarnings),
  }),
  route({
    method: 'GET',
    path: '/api/v1/configs/{target}/revisions/{revision}',
    ability: 'read',
    summary: 'One revision with its source',
    response: schemas.revisionDetail,
    handle: async ({ params }, { configs }: ConfigDeps) => ({
      body: limitWarnings(await configs.revision(params.target, parseRevision(params.revision))),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/v1/configs/{target}/rollback',
    ability: 'write',
    summary: 'Make an older revision the active one',
    body: z.strictObject({ revision: z.int().check(z.minimum(1)) }),
    response: schemas.configView,
    handle: async ({ params, body, precondition }, { configs }: ConfigDeps) => {
      const view = await configs.rollback(params.target, body.revision, precondition);
      return answerTagged(limitWarnings(view), view.etag);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/configs/{target}/convert',
    ability: 'read',
    summary: 'Try a conversion: the result, what each rule did, and what is lost; nothing is stored',
    body: z.strictObject({
      object: schemas.jsonObject,
      to: z.string(),
      revision: z.exactOptional(z.int().check(z.minimum(1))),
    }),
    response: schemas.tryResult,
    handle: async ({ params, body }, { configs }: ConfigDeps) => ({
      body: await configs.tryConvert(params.target, body),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/configs/{target}/patch',
    ability: 'read',
    summary: 'The server-side-apply patch that points the CRD or XRD at an endpoint',
    query: schemas.patchQuery,
    response: schemas.jsonObject,
    handle: async ({ params, query: { endpoint, ...token } }, { configs, convertUrl, caBundle }: ConfigDeps) => {
      const options = { baseUrl: convertUrl, ...token, ...(caBundle !== undefined && { caBundle }) };
      return { body: await configs.patch(params.target, endpoint, options) };
    },
  }),
];

function limitWarnings<T extends { readonly warnings: readonly Diagnostic[] }>(view: T): WithMoreFindings<T> {
  return limitResult(view, 'warnings');
}

function parseRevision(text: string): number {
  const revision = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(revision)) return revision;
  throw new AppError('BAD_REQUEST', 'a revision is a whole number from 1');
}
