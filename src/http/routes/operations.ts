import type { Express } from 'express';
import { ApiError } from '../../errors.js';
import type { Metrics } from '../../metrics.js';
import type { Leaving } from '../leaving.js';
import { contextOf } from '../request-context.js';
import { sendJson } from '../send-json.js';

/** What readiness asks. Each resolves to true, or to false, or rejects. */
export interface ReadinessChecks {
  /** The database answers, takes writes, and its schema is this release's. */
  schema: () => Promise<boolean>;
  model: () => Promise<boolean>;
  leaving: Leaving;
}

const PATHS = ['/healthz', '/readyz', '/metrics', '/openapi.json'] as const;

/**
 * GET /healthz, /readyz, /metrics, and /openapi.json, the API's description: for operators; no key, no project's data.
 */
export function mountOperations(app: Express, checks: ReadinessChecks, metrics: Metrics, description: string): void {
  for (const path of PATHS) {
    app.all(path, (request, response, next) => {
      contextOf(response).route = path;
      if (request.method === 'GET' || request.method === 'HEAD') next();
      else throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
    });
  }
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    const [schema, model] = await Promise.all([settle(checks.schema), settle(checks.model)]);
    const stays = !checks.leaving.begun;
    const ready = schema && model && stays;
    if (ready) checks.leaving.toldReady();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : stays ? 'unavailable' : 'leaving', checks: { schema, model } });
  });
  app.get('/openapi.json', (_request, response) => {
    sendJson(response, description);
  });
  app.get('/metrics', async (_request, response) => {
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

async function settle(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch {
    return false;
  }
}
