import type { AuditLog } from '../access/audit.ts';
import type { TokenService } from '../access/tokens.ts';
import type { ParseContext } from '../apps/spec/parse-app.ts';
import type { AppService } from '../apps/types.ts';
import type { Clock } from '../clock.ts';
import type { ConfigService, EndpointService, Registries } from '../configs/types.ts';
import type { Brand } from '../system/brand.ts';
import type { SystemService } from '../system/service.ts';
import type { Log } from '../telemetry/log.ts';
import type { Route } from './route.ts';
import { appRoutes } from './routes/apps.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { auditRoutes } from './routes/audit.ts';
import { brandRoutes } from './routes/brand.ts';
import { configRoutes } from './routes/configs.ts';
import { deployRoutes } from './routes/deploys.ts';
import { domainRoutes } from './routes/domains.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { envRoutes } from './routes/env.ts';
import { logRoutes } from './routes/logs.ts';
import { metricRoutes } from './routes/metrics.ts';
import { registryRoutes } from './routes/registry.ts';
import { secretRoutes } from './routes/secrets.ts';
import { statusRoutes } from './routes/status.ts';
import { systemRoutes } from './routes/system.ts';
import { tokenRoutes } from './routes/tokens.ts';

/** What the handlers of routes use. */
export interface ApiServices {
  readonly configs: ConfigService;
  readonly endpoints: EndpointService;
  readonly registries: Registries;
  readonly apps: AppService;
  /** What the account and the stage allow an app to be. */
  readonly appContext: ParseContext;
  readonly tokens: TokenService;
  readonly audit: AuditLog;
  readonly system: SystemService;
  /** Rejects when the store cannot be read. */
  readonly checkReady: () => Promise<void>;
  /** Where `convert` is reached from outside, `https://host[:port]`. */
  readonly convertUrl: string;
  /** What an apiserver needs to trust `convertUrl`: PEM in base64. Absent on AWS, where the CA is a public one. */
  readonly caBundle?: string;
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RouteDeps extends ApiServices {
  /** The OpenAPI document of {@link ROUTES}. */
  readonly describeApi: () => Promise<object>;
}

/** Every route of the `api` function. */
export const ROUTES: readonly Route<RouteDeps>[] = [
  ...configRoutes,
  ...endpointRoutes,
  ...registryRoutes,
  ...appRoutes,
  ...deployRoutes,
  ...envRoutes,
  ...secretRoutes,
  ...artifactRoutes,
  ...domainRoutes,
  ...logRoutes,
  ...metricRoutes,
  ...tokenRoutes,
  ...auditRoutes,
  ...brandRoutes,
  ...statusRoutes,
  ...systemRoutes,
];
