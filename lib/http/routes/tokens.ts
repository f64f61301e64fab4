import * as z from 'zod/mini';
import { ABILITIES } from '../../access/abilities.ts';
import type { StoredToken, TokenService } from '../../access/tokens.ts';
import { type Route, route } from '../route.ts';
import { answerList } from './answers.ts';

interface TokenDeps {
  readonly tokens: TokenService;
}

const MAX_NAME = 100;
const MAX_DAYS = 3_650;

const text = z.exactOptional(z.string());
const tokenFields = {
  id: z.string(),
  name: z.string(),
  abilities: z.array(z.enum(ABILITIES)),
  created_at: z.string(),
  last_used_at: text,
  expires_at: text,
  revoked_at: text,
};
const tokenView = z.strictObject(tokenFields);
const newToken = z.strictObject({ ...tokenFields, token: z.string() });

/** The service judges the names, so that its refusal can say which one is none. */
const ability = z.string().check(z.meta({ enum: ABILITIES }));

export const tokenRoutes: readonly Route<TokenDeps>[] = [
  route({
    method: 'POST',
    path: '/api/v1/auth/tokens',
    ability: 'write:sensitive',
    summary: 'Make a token that can do no more than the one it is made with; its text is shown this once',
    unconditional: true,
    body: z.strictObject({
      name: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_NAME)),
      abilities: z.array(ability).check(z.maxLength(ABILITIES.length)),
      expires_in_days: z.exactOptional(z.int().check(z.minimum(0), z.maximum(MAX_DAYS))),
    }),
    response: newToken,
    handle: async ({ body, caller }, { tokens }: TokenDeps) => {
      const { name, abilities, expires_in_days: expiresInDays } = body;
      const made = await tokens.create({ name, abilities, expiresInDays }, caller);
      return { status: 201, body: { ...renderToken(made.token), token: made.text } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/auth/tokens',
    ability: 'write:sensitive',
    summary: 'List the tokens that were made here, those that have ended included; never their text',
    response: z.array(tokenView),
    handle: async (_input, { tokens }: TokenDeps) => answerList((await tokens.list()).map(renderToken)),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/auth/tokens/{id}',
    ability: 'write:sensitive',
    summary: 'Revoke a token, at once; twice is as once',
    unconditional: true,
    response: z.undefined(),
    handle: async ({ params }, { tokens }: TokenDeps) => {
      await tokens.revoke(params.id);
      return { status: 204 };
    },
  }),
];

function renderToken(token: StoredToken) {
  return {
    id: token.id,
    name: token.name,
    abilities: token.abilities,
    created_at: rfc3339(token.createdAt),
    ...(token.lastUsedAt !== undefined && { last_used_at: rfc3339(token.lastUsedAt) }),
    ...(token.expiresAt !== undefined && { expires_at: rfc3339(token.expiresAt) }),
    ...(token.revokedAt !== undefined && { revoked_at: rfc3339(token.revokedAt) }),
  };
}

function rfc3339(time: number): string {
  return new Date(time).toISOString();
}
