import * as z from 'zod/mini';
import type { AppService } from '../../apps/types.ts';
import { type Route, route } from '../route.ts';
import { answerList } from './answers.ts';

interface DomainDeps {
  readonly apps: AppService;
}

export const domainRoutes: readonly Route<DomainDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/domains',
    ability: 'read',
    summary: 'Every domain that an app has claimed',
    response: z.array(z.strictObject({ domain: z.string(), service_name: z.string() })),
    handle: async (_input, { apps }: DomainDeps) => {
      const claims = await apps.domains();
      return answerList(claims.map(({ domain, app }) => ({ domain, service_name: app })));
    },
  }),
];
