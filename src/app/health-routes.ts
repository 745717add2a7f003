import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { ApiError } from '../base/errors.js';
import { SingleFlight } from '../platform/limits/single-flight.js';
import type { Metrics } from '../platform/telemetry/metrics.js';
import type { Drain } from '../http/server.js';
import { contextOf } from '../http/request-context.js';
import { sendJson } from '../http/answers.js';
import {
  isConnectionRefused,
  isDatabaseUnavailable,
  isDiskFull,
  sqlState,
} from '../platform/database/session/database-errors.js';
import type { Logger } from '../base/logger.js';

const PATHS = ['/healthz', '/readyz', '/metrics', '/openapi.json'] as const;

/** Mounts the routes for operators: no key, no project's data. `description` is the OpenAPI document. */
export function mountOperations(
  app: Express,
  readiness: () => Promise<Readiness>,
  drain: Drain,
  metrics: Metrics,
  description: string,
): void {
  for (const path of PATHS)
    app.all(path, (request, response, next) => {
      contextOf(response).route = path;
      if (request.method === 'GET' || request.method === 'HEAD') next();
      else throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
    });
  app.get('/healthz', (_request, response) => response.json({ status: 'ok' }));
  app.get('/readyz', async (_request, response) => {
    const { checks, reasons } = await readiness();
    const well = Object.keys(reasons).length === 0;
    const ready = well && !drain.begun;
    if (ready) drain.recordReady();
    const status = ready ? 'ok' : drain.begun ? 'leaving' : 'unavailable';
    response.status(ready ? 200 : 503).json({ status, checks, ...(well ? {} : { reasons }) });
  });
  app.get('/openapi.json', (_request, response) => sendJson(response, description));
  app.get('/metrics', async (_request, response) => {
    // prom-client writes NaN as "Nan", which strict parsers refuse.
    const text = (await metrics.registry.metrics()).replace(/ Nan$/gm, ' NaN');
    response.type(metrics.registry.contentType).send(text);
  });
}

/** The checks of readiness, and the message when each fails. */
const REASONS = {
  schema: 'the schema is not of this release, or the database takes no writes',
  search: 'a search fails',
  model: 'the model is not loaded',
};
type Check = keyof typeof REASONS;
const NAMES = Object.keys(REASONS) as Check[];

/** `schema`: the database takes writes, with this release's schema. `search`: searches work. `model`: it is loaded. */
export type ReadinessChecks = Record<Check, () => Promise<boolean>>;

/** The max time of a check: longer than any healthy check takes. */
const MAX_CHECK_MS = 3_000;
const LATE = `no answer within ${MAX_CHECK_MS / 1_000} s`;

export interface Readiness {
  checks: Record<Check, boolean>;
  /** The messages of the failed checks. */
  reasons: Partial<Record<Check, string>>;
}

/** Runs all checks for three seconds at most, once for requests at the same time; logs a failure once, in detail. */
export function createReadiness(checks: ReadinessChecks, logger: Logger): () => Promise<Readiness> {
  const flights = new SingleFlight<string | undefined>();
  const logged = new Map<string, string>();

  function log(name: Check, reason: string, error: unknown): void {
    if (logged.get(name) !== reason) logger.error('not ready', { check: name, error });
    logged.set(name, reason);
  }

  async function ask(name: Check): Promise<string | undefined> {
    try {
      return (await checks[name]()) ? undefined : REASONS[name];
    } catch (error) {
      const reason = withoutDetail(error);
      log(name, reason, error);
      return reason;
    }
  }

  return async () => {
    const timeout = sleep(MAX_CHECK_MS, LATE, { ref: false });
    const outcomes = await Promise.all(
      NAMES.map(async (name) => {
        const checked = flights.run(name, undefined, () => ask(name)).then(({ result }) => result);
        const reason = await Promise.race([checked, timeout]);
        // The check may still fail later, with its own reason: both in turn would be logged at each request.
        if (reason === LATE && !logged.has(name)) log(name, LATE, LATE);
        return [name, reason] as const;
      }),
    );
    const wrong = outcomes.filter((outcome): outcome is [(typeof outcome)[0], string] => outcome[1] !== undefined);
    if (wrong.length === 0) logged.clear();
    return {
      checks: Object.fromEntries(outcomes.map(([name, reason]) => [name, reason === undefined])) as Readiness['checks'],
      reasons: Object.fromEntries(wrong),
    };
  };
}

/** Explains a failure without details: describe-failure.ts of the command line would show the server's name. */
function withoutDetail(error: unknown): string {
  if (isDiskFull(error)) return 'the database has no space left on its disk';
  if (isConnectionRefused(error))
    return 'the database takes no more connections: a limit is reached (of the role, the database or the server), or it starts';
  if (isDatabaseUnavailable(error)) return 'the database cannot be reached';
  const state = sqlState(error);
  return state === undefined
    ? 'it fails; the log says how'
    : `the database refuses it (SQLSTATE ${state}); the log says more`;
}
