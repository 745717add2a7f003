import type { Express } from 'express';
import { ApiError } from '../base/errors.js';
import type { Metrics } from '../platform/telemetry/metrics.js';
import type { Drain } from '../http/drain.js';
import type { Readiness } from './readiness.js';
import { contextOf } from '../http/request-context.js';
import { sendJson } from '../http/send-json.js';

const PATHS = ['/healthz', '/readyz', '/metrics', '/openapi.json'] as const;

/**
 * Mounts the routes for operators. They need no key and show no project's data. `description`: the OpenAPI document.
 */
export function mountOperations(
  app: Express,
  readiness: () => Promise<Readiness>,
  drain: Drain,
  metrics: Metrics,
  description: string,
): void {
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
    const { checks, reasons } = await readiness();
    const well = Object.keys(reasons).length === 0;
    const ready = well && !drain.begun;
    if (ready) drain.recordReady();
    const status = ready ? 'ok' : drain.begun ? 'leaving' : 'unavailable';
    response.status(ready ? 200 : 503).json({ status, checks, ...(well ? {} : { reasons }) });
  });
  app.get('/openapi.json', (_request, response) => {
    sendJson(response, description);
  });
  app.get('/metrics', async (_request, response) => {
    // prom-client writes NaN as "Nan", which strict parsers refuse.
    const text = (await metrics.registry.metrics()).replace(/ Nan$/gm, ' NaN');
    response.type(metrics.registry.contentType).send(text);
  });
}
