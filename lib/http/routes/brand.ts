import * as z from 'zod/mini';
import { BRAND_KEYS, type Brand } from '../../system/brand.ts';
import { type Route, route } from '../route.ts';

interface BrandDeps {
  readonly brand: Brand;
}

export const brandRoutes: readonly Route<BrandDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/brand',
    // A page shows it before anybody has logged in.
    ability: 'public',
    summary: 'Name, links, colours and logo of this installation; what is not set is an empty string',
    response: z.strictObject(Object.fromEntries(BRAND_KEYS.map((key) => [key, z.string()]))),
    handle: (_input, { brand }: BrandDeps) => ({ body: brand }),
  }),
];
