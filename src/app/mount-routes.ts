import express from 'express';
import { ApiError } from '../base/errors.js';
import type { InFlightBytes } from '../platform/limits/in-flight-bytes.js';
import type { Logger } from '../base/logger.js';
import type { DeleteDeps } from '../pages/delete-pages.js';
import type { UpsertDeps } from '../pages/upsert-pages.js';
import type { SearchDeps } from '../search/search.js';
import type { AdmissionDeps } from '../http/admission.js';
import type { App } from '../http/admission-queue.js';
import type { Tracer } from '../platform/telemetry/tracing.js';
import { errorHandler, NO_SUCH_PATH } from '../http/answers.js';
import { type Drain, expressClasses, type ExpressClasses } from '../http/server.js';
import { describeApi } from './openapi.js';
import { createReadiness, type ReadinessChecks, mountOperations } from './health-routes.js';
import { requestContext } from '../http/request-context.js';
import { mount, mountAll, serveRoute } from '../http/route.js';
import { llmsTxtRoute } from '../assistants/llms-txt.js';
import { mcpRoute } from '../assistants/mcp-route.js';
import { batchPagesRoute } from '../pages/routes/batch-pages.js';
import { deletePageRoute } from '../pages/routes/delete-page.js';
import { eventsRoute } from '../events/routes.js';
import { clickRoute } from '../search/dead-urls/click.js';
import { notFoundRoute, type NotFoundDeps } from '../search/dead-urls/not-found.js';
import { proxyRoute } from '../search/dead-urls/proxy.js';
import { retrieveRoute } from '../search/routes/retrieve.js';
import { getSearchRoute } from '../search/routes/get-search.js';
import { semanticSearchRoute } from '../search/routes/semantic-search.js';
import { getPageRoute, listPagesRoute } from '../pages/routes/read-pages.js';
import { addRulesRoute, changeRuleRoute, removeRuleRoute, undoRulesRoute } from '../rules/routes/change-rules.js';
import { listRulesRoute, ruleHistoryRoute, tryRulesRoute } from '../rules/routes/read-rules.js';
import type { RuleDeps } from '../rules/rule.js';
import { listLinksRoute } from '../sync/routes.js';
import { suggestRoute } from '../search/routes/suggest.js';
import { upsertPageRoute } from '../pages/routes/upsert-page.js';

export interface AppDeps extends AdmissionDeps, SearchDeps, UpsertDeps, DeleteDeps, NotFoundDeps, RuleDeps {
  bytes: InFlightBytes;
  logger: Logger;
  checks: ReadinessChecks;
  drain: Drain;
  /** The tracer of requests; undefined: no traces are exported. */
  tracer?: Tracer | undefined;
  trustedProxies: readonly string[];
}

/**
 * A request passes server.ts, admission-queue.ts, request-context.ts and its route (route.ts: admission, body,
 * handler). src/platform/limits/README.md lists the bounds on this way. No CORS and no cookies: callers are servers.
 * @param serveApi is false for a worker, which only has the paths for operators.
 */
export function createExpressApp(deps: AppDeps, serveApi: boolean): { app: App; classes: ExpressClasses } {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Express trusts the X-Forwarded-For of these proxies.
  app.set('trust proxy', deps.trustedProxies);
  // Express tries routes one after the other: the most frequent come first.
  if (serveApi) {
    mount(app, deps, suggestRoute(deps));
    mount(app, deps, eventsRoute(deps));
    mount(app, deps, semanticSearchRoute(deps));
    mount(app, deps, retrieveRoute(deps));
    mount(app, deps, upsertPageRoute(deps));
    mount(app, deps, deletePageRoute(deps));
    mount(app, deps, batchPagesRoute(deps));
    mount(app, deps, getSearchRoute(deps));
    mount(app, deps, proxyRoute(deps));
    mount(app, deps, notFoundRoute(deps));
    mount(app, deps, clickRoute(deps));
    mount(app, deps, listPagesRoute(deps));
    mount(app, deps, mcpRoute(deps));
    mount(app, deps, llmsTxtRoute(deps));
    mountAll(app, deps, [serveRoute(deps, listRulesRoute(deps)), serveRoute(deps, addRulesRoute(deps))]);
    mount(app, deps, tryRulesRoute(deps));
    mount(app, deps, ruleHistoryRoute(deps));
    mount(app, deps, undoRulesRoute(deps));
    mountAll(app, deps, [serveRoute(deps, changeRuleRoute(deps)), serveRoute(deps, removeRuleRoute(deps))]);
    mount(app, deps, listLinksRoute(deps));
    // This route comes after the paths that look like the id of a page.
    mount(app, deps, getPageRoute(deps));
  }
  const readiness = createReadiness(deps.checks, deps.logger);
  mountOperations(app, readiness, deps.drain, deps.metrics, JSON.stringify(describeApi()));
  app.use(() => {
    throw new ApiError('not_found', { message: NO_SUCH_PATH });
  });
  app.use(errorHandler(deps.logger));
  const begin = requestContext(deps.logger, deps.metrics);
  return {
    app: (request, response, arrivedAt) => {
      begin(request, response, arrivedAt);
      app(request, response);
    },
    classes: expressClasses(app),
  };
}
