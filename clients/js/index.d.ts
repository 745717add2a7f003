import type { components, paths } from './api.js';

type Schemas = components['schemas'];
export type Suggestion = Schemas['Suggestion'];
export type Suggestions = Schemas['Suggestions'];
export type Documents = Schemas['Documents'];
export type Filters = Schemas['Filters'];
export type Page = Schemas['Page'];
export type UpsertedPage = Schemas['UpsertedPage'];
export type DeletedPage = Schemas['DeletedPage'];
export type ClickEvent = Schemas['ClickEvent'];
export type NotFoundEvent = Schemas['NotFoundEvent'];
export type VisitorEvent = ClickEvent | NotFoundEvent;

type BodyOf<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;
export type SuggestRequest = BodyOf<'/v1/suggest'>;
export type SemanticSearchRequest = BodyOf<'/v1/semantic-search'>;
export type RetrieveRequest = BodyOf<'/v1/retrieve'>;

/** The outcome for one page of a batch; `error.param` is a field of that page. */
export type BatchResult = Schemas['BatchResult'];

export interface ClientSettings {
  /**
   * The address at which pathmend answers, such as `http://127.0.0.1:8080`. Undefined, as a missing variable is, throws
   * at once.
   */
  url: string | undefined;
  /** An API key of the project. It stays on the server. Undefined throws at once. */
  key: string | undefined;
  /** Milliseconds for a search and, so, for a visitor of a missing page. Default 150. */
  timeoutMs?: number;
  /**
   * Milliseconds for an upsert, a delete or an event, each time that it is sent; a batch has six times as long.
   * Default 10,000.
   */
  writeTimeoutMs?: number;
  /** The number of times that an upsert, a delete or an event is sent again. Default 4. */
  retries?: number;
  /** Milliseconds for which no visitor waits for pathmend, after five failures one after the other. Default 5,000. */
  pauseMs?: number;
  /** This is used in place of the runtime's own `fetch`: that of a service binding, say. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Milliseconds each time that the call is sent. */
  timeoutMs?: number;
  /**
   * The number of times that the call is sent again: after 429 and 503, and where that does no harm after other
   * failures.
   */
  retries?: number;
  signal?: AbortSignal;
}

/** The methods of a client answer with the API's bodies, and throw {@link PathmendError} or the signal's reason. */
export interface Client {
  /** @param input the body of `POST /v1/suggest`, or the path alone */
  suggest(input: SuggestRequest | string, options?: CallOptions): Promise<Suggestions>;
  /** @param input the body of `POST /v1/semantic-search`, or the question alone */
  semanticSearch(input: SemanticSearchRequest | string, options?: CallOptions): Promise<Suggestions>;
  /** @param input the body of `POST /v1/retrieve`, or the question alone */
  retrieve(input: RetrieveRequest | string, options?: CallOptions): Promise<Documents>;
  upsertPage(page: Page, options?: CallOptions): Promise<UpsertedPage>;
  /**
   * Sends any number of pages, and of urls to delete, in batches of `POST /v1/pages/batch`. It ends at the first batch
   * that is refused; to send all of it again does no harm.
   */
  upsertPages(
    pages: Iterable<Page> | AsyncIterable<Page>,
    options?: CallOptions & { delete?: Iterable<string> | AsyncIterable<string> },
  ): Promise<{ results: BatchResult[] }>;
  /** @param page by its full url, which may stand alone, or by its identifier */
  deletePage(page: { url: string } | { pageId: string } | string, options?: CallOptions): Promise<DeletedPage>;
  sendEvent(event: VisitorEvent, options?: CallOptions): Promise<void>;
  /** Resolves when the events of all visitors so far are sent or given up. Call it before the process ends. */
  flush(): Promise<void>;
}

export declare function createClient(settings: ClientSettings): Client;

/** A call that was refused (`status`, the API's `code`), or that failed: `timeout`, `unreachable`, `wrong_answer`. */
export declare class PathmendError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  /** The field that is wrong, as a dotted path. */
  readonly param: string | undefined;
  readonly details: Record<string, unknown> | undefined;
  /** The id under which pathmend's log has the request. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** The format of an answer to a visitor, which `Accept` chooses. */
export type Format = 'html' | 'json' | 'markdown';

export interface LinkedSuggestion extends Suggestion {
  /** A link to the page that counts the click. In HTML it must be escaped, as the title must. */
  href: string;
}

export interface RenderContext {
  format: Format;
  /** The path that was not found, with its query: the visitor's own text. */
  path: string;
  searchId: string;
  /** 404; 410 or 451 where a rule says that the page is gone; 200 for a search. Only 404 always has a suggestion. */
  status: number;
  /** The visitor searched for this, and the page shows what was found. `path` is the same. */
  query?: string;
  /** The query is still typed, and was searched by words alone. */
  isTyped?: boolean;
  /** The form of a search field leads there, by GET with the field `query`. */
  searchPath?: string;
}

export interface NotFoundOptions<Incoming = never> {
  /**
   * A best score above this redirects the visitor at once, as a rule does. Default 0.9; 1: nothing redirects. While the
   * project is in trial, only rules and scores of 1 do.
   */
  redirectAbove?: number;
  /** The minimum score of a suggestion. Default 0.1. */
  threshold?: number;
  /** The maximum number of suggestions. Default 3. */
  limit?: number;
  /** Writes the page in place of the client's own. Where it returns no text, the site's own 404 goes out. */
  render?: (
    suggestions: LinkedSuggestion[],
    context: RenderContext,
  ) => string | undefined | Promise<string | undefined>;
  /** Milliseconds that a visitor waits for pathmend at most. Default: the client's. */
  timeoutMs?: number;
  /** This is called with each error; no visitor sees errors. */
  onError?: (error: Error) => void;
  /** The path of links that count clicks. Default `/.pathmend/click`. */
  clickPath?: string;
  /**
   * A path that reaches the handler, such as `/.pathmend/search`: the page has a search field, whose form leads there.
   * Default: there is none.
   */
  searchPath?: string;
  /** Milliseconds for which a click is counted. Default: a day. */
  clickTtlMs?: number;
  /** The visitor's address, where the framework does not know it. */
  userIp?: (request: Incoming) => string | undefined;
}

export interface RecoveryAnswer {
  /** 302, or what a rule asks for: 301, 303, 307, 308, 410, 451; else 404. */
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Answers a request for which the site has no page: with a redirect, or with a 404 that has suggestions. Undefined:
 * send the site's own 404. It never throws for anything that pathmend does. For a Request that it was given before, it
 * gives undefined.
 */
export declare function handleNotFound(
  request: Request,
  options: NotFoundOptions<Request> & {
    client: Client;
    /** Keeps the runtime alive until events are sent: `context.waitUntil` of a worker. */
    waitUntil?: ((task: Promise<unknown>) => void) | undefined;
  },
): Promise<Response | undefined>;

type NodeHeaders = Record<string, string | string[] | undefined>;

/** Express, and any framework whose middleware has this shape. */
export interface ExpressRequest {
  method?: string | undefined;
  url?: string | undefined;
  originalUrl?: string | undefined;
  headers: NodeHeaders;
  ip?: string | undefined;
  protocol?: string | undefined;
  socket?: { remoteAddress?: string | undefined };
}

export interface ExpressResponse {
  headersSent: boolean;
  statusCode: number;
  getHeader(name: string): number | string | string[] | undefined;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

/**
 * Middleware that stands after all routes: `app.use(expressNotFound(client))`. What follows it is the site's own 404.
 */
export declare function expressNotFound(
  client: Client,
  options?: NotFoundOptions<ExpressRequest>,
): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void;

export interface FastifyRequest {
  method: string;
  originalUrl: string;
  headers: NodeHeaders;
  ip: string;
  protocol: string;
}

export interface FastifyReply {
  code(status: number): this;
  headers(headers: Record<string, string>): this;
  getHeader(name: string): number | string | string[] | undefined;
  send(body?: unknown): unknown;
}

/**
 * The handler of missing pages, `app.setNotFoundHandler(fastifyNotFound(client))`, or a hook before the site's own:
 * `app.setNotFoundHandler({ preHandler: fastifyNotFound(client) }, own404)`.
 */
export declare function fastifyNotFound(
  client: Client,
  options?: NotFoundOptions<FastifyRequest>,
): (request: FastifyRequest, reply: FastifyReply, done?: (error?: Error) => void) => void;

export interface KoaContext {
  method: string;
  originalUrl: string;
  protocol: string;
  host: string;
  ip: string;
  headers: NodeHeaders;
  req: { headers: NodeHeaders };
  response: { is(...types: string[]): string | false | null };
  status: number;
  body: unknown;
  headerSent: boolean;
  respond?: boolean | undefined;
  set(headers: Record<string, string>): void;
  vary(field: string): void;
}

/** Middleware before all others: `app.use(koaNotFound(client))`. What they answer with 404 is the site's own 404. */
export declare function koaNotFound(
  client: Client,
  options?: NotFoundOptions<KoaContext['req']>,
): (context: KoaContext, next: () => Promise<unknown>) => Promise<void>;

export interface HonoContext {
  req: { raw: Request };
  res: Response;
  /** Differs by runtime; on Node it holds the request with its socket. */
  env: unknown;
  readonly executionCtx: { waitUntil(task: Promise<unknown>): void };
  text(text: string, status: 404): Response;
}

/**
 * The handler of missing pages, `app.notFound(honoNotFound(client))`, or middleware before the site's own:
 * `app.use(honoNotFound(client))`.
 */
export declare function honoNotFound(
  client: Client,
  options?: NotFoundOptions<Request>,
): {
  (context: HonoContext): Promise<Response>;
  (context: HonoContext, next: () => Promise<void>): Promise<undefined>;
};
