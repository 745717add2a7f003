import type { Express, Request, Response } from 'express';
import { ApiError } from '../base/errors.js';
import type { Caller } from '../projects/caller.js';
import { admitRequest, type AdmissionDeps } from './admission.js';
import { compileUnknownFields } from './unknown-fields.js';
import type { Operation } from './operation.js';
import type { Valid } from '../base/validate.js';
import { contextOf, statusOf, whenClosed } from './request-context.js';
import { type Span, type Tracer, inScope } from '../platform/telemetry/tracing.js';

export interface RouteCall<Input> {
  caller: Caller;
  input: Input;
  request: Request;
  response: Response;
  /** Takes tokens for the items of a request after the first. @throws ApiError of status 413 or 429 */
  takeMore: (tokens: number) => Promise<void>;
  /** Returns a signal that is aborted when the caller goes away before the answer. */
  gone: () => AbortSignal;
}

/** An operation's input is its body or its query string. */
export type InputOf<O extends Operation> = O extends { body: infer Schema } | { query: infer Schema }
  ? Valid<Schema>
  : never;

export interface Route<Input> extends Operation {
  /** Reads and checks the input, after admission. @throws ApiError of status 400 or 413 */
  read: (request: Request, response: Response) => Promise<Input> | Input;
  handle: (call: RouteCall<Input>) => Promise<void>;
}

/** A route is served after admission and the reading of its input. */
interface Served extends Pick<Operation, 'method' | 'path' | 'scope'> {
  queuesJobs: boolean;
  serve: (request: Request, response: Response) => Promise<void>;
}

type MountDeps = AdmissionDeps & { tracer?: Tracer | undefined };

/** Mounts a route of a path that has no other. */
export function mount<Input>(app: Express, deps: MountDeps, route: Route<Input>): void {
  mountAll(app, deps, [serveRoute(deps, route)]);
}

/** Mounts the routes of a path. The API promises this order: method 405, key 401, access 403, rate 429, body 400. */
export function mountAll(app: Express, { tracer }: MountDeps, routes: readonly [Served, ...Served[]]): void {
  const [{ path }] = routes;
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  // `app.all` would make a layer for each of the 34 methods, and compare every request with all of them.
  app.route(path.replace(/\{(\w+)\}/g, ':$1')).all(async (request, response) => {
    const context = contextOf(response);
    context.route = path;
    // HEAD is GET; Node leaves the body out.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = routes.find((candidate) => candidate.method === method);
    const serve = route?.serve ?? refuse;
    const span = tracer && traceRequest(tracer, request, response);
    if (!span?.sampled && !route?.queuesJobs) return serve(request, response);
    return inScope({ operation: path, requestId: context.requestId, span }, () => serve(request, response));
  });

  function refuse(request: Request): Promise<never> {
    const names = routes.map(({ method }) => method).join(' or ');
    throw new ApiError('method_not_allowed', {
      message: `${path} takes ${names}, not ${request.method}.`,
      headers: { Allow: methods.join(', ') },
    });
  }
}

/** Makes a route servable: {@link mountAll} mounts it beside others of its path. */
export function serveRoute<Input>(deps: MountDeps, route: Route<Input>): Served {
  const findUnknown = compileUnknownFields(route.body ?? route.query ?? {});
  const queuesJobs = route.scope !== 'read' || (route.queuesJobs ?? false);
  const serve = async (request: Request, response: Response): Promise<void> => {
    const context = contextOf(response);
    const { caller: admitted, again, takeMore } = await admitRequest(deps, request, route.scope, response);
    context.projectId = admitted.projectId;
    let input;
    try {
      input = await route.read(request, response);
    } finally {
      // Also for a refused request: it may have misspelt the field that it lacks.
      const unknown = findUnknown(route.body ? context.body : request.query);
      if (unknown !== undefined) response.setHeader('X-Pathmend-Warning', unknown);
      context.body = undefined;
    }
    // A reading route must not answer with admission's version of the index. A writing route reads it itself.
    const caller = route.scope === 'read' ? await again() : admitted;
    await route.handle({ caller, input, request, response, takeMore, gone: () => watchCaller(response) });
  };
  return { method: route.method, path: route.path, scope: route.scope, queuesJobs, serve };
}

/** Makes a signal only on demand: an answer from the cache needs none. */
function watchCaller(response: Response): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return gone.signal;
}

/** Begins the span of a request, in its caller's trace if it names one, and ends it with the answer. */
function traceRequest(tracer: Tracer, request: Request, response: Response): Span {
  const { route, startedAt, requestId } = contextOf(response);
  const span = tracer.begin(`${request.method} ${route}`, 'server', request.headers['traceparent'], { startedAt });
  whenClosed(response, () => {
    const { projectId } = contextOf(response);
    const status = statusOf(response);
    const failed = status >= 500;
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': status,
      'pathmend.request.id': requestId,
      ...(projectId !== undefined && { 'pathmend.project.id': projectId }),
      ...(failed && { 'error.type': String(status) }),
    };
    span.end(attributes, failed);
  });
  return span;
}
