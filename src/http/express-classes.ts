import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** Of which Node's server makes requests and answers. */
export interface ExpressClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

/**
 * Requests and answers that are Express's own from the start. Express gives each the prototype of its own, and V8 keeps
 * an object whose prototype changes in a slow form: that took a quarter of a request's CPU
 * (docs/decisions/0085-express-message-classes.md). With these classes Express finds the prototype that it wants.
 */
export function expressClasses(app: Express): ExpressClasses {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as Express['request'];
  app.response = Response.prototype as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response as typeof ServerResponse };
}
