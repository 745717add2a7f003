import type { Express, Request, Response } from 'express';
import { ApiError } from '../errors.js';
import type { Caller } from '../keys/caller.js';
import { admitRequest, type AdmissionDeps } from './admission.js';
import type { FieldWarnings } from './field-warnings.js';
import type { Operation } from './operation.js';
import { contextOf } from './request-context.js';
import { compileUnknownFields } from './unknown-fields.js';

/** What a handler gets. */
export interface RouteCall<Input> {
  caller: Caller;
  input: Input;
  request: Request;
  response: Response;
  /** Makes a signal that is aborted when the caller goes away before the answer. */
  gone: () => AbortSignal;
}

/** One route: its operation, how its input is read, and what it does. */
export interface Route<Input> extends Operation {
  /** Reads and checks the input; runs after admission. Throws a 400 or 413. */
  read: (request: Request, response: Response) => Promise<Input> | Input;
  handle: (call: RouteCall<Input>) => Promise<void>;
}

/**
 * Mounts a route. The order of checks is the contract's: wrong method 405, key 401, access 403, rate 429, body 400.
 */
export function mount<Input>(
  app: Express,
  deps: AdmissionDeps & { fieldWarnings: FieldWarnings },
  route: Route<Input>,
): void {
  const findUnknown = compileUnknownFields(route.body ?? route.query ?? {});
  // `app.all` would make a layer for each of the 34 methods, which every request is held against.
  app.route(route.path).all(async (request, response) => {
    const context = contextOf(response);
    context.route = route.path;
    // HEAD is GET without the body, which Node leaves out by itself.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (method !== route.method) {
      throw new ApiError('method_not_allowed', {
        message: `${route.path} takes ${route.method}, not ${request.method}.`,
        headers: { Allow: route.method === 'GET' ? 'GET, HEAD' : route.method },
      });
    }
    const { caller: admitted, again } = await admitRequest(deps, request, route.scope, response);
    context.projectId = admitted.projectId;
    let input;
    try {
      input = await route.read(request, response);
    } finally {
      // Of a request that is refused, too: what it lacks may be what it misspelt.
      const unknown = findUnknown(route.body ? context.body : request.query);
      if (unknown !== undefined) deps.fieldWarnings(response, admitted, unknown);
      context.body = undefined;
    }
    // What reads the index must not answer as of admission; what writes looks for itself.
    const caller = route.scope === 'read' ? await again() : admitted;
    await route.handle({ caller, input, request, response, gone: () => goneSignal(response) });
  });
}

/** Made only for what takes time: an answer of the cache is there before anybody can go away. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return gone.signal;
}
