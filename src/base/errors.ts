/** A caller can get these errors. The documentation, the HTTP layer and the tests read status and message here. */
export const ERROR_CATALOGUE = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  invalid_api_key: { status: 401, message: 'The API key is missing, malformed, unknown, revoked or expired.' },
  insufficient_permissions: { status: 403, message: 'This API key may not do that.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not take that method.' },
  payload_too_large: { status: 413, message: 'The request body is too large.' },
  rate_limit_exceeded: { status: 429, message: 'Too many requests: the rate limit of this project is used up.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  overloaded: { status: 503, message: 'The service is busy: try again in a moment.' },
} as const;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export interface ApiErrorFields {
  /** The caller reads it. */
  message?: string;
  /** Dotted path of the offending field: `options.filters.category`. */
  param?: string;
  details?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Only the log has it, for the operator. */
  cause?: unknown;
}

/** An ApiError is sent to the caller. Everything else that is thrown becomes a masked 500. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, fields: ApiErrorFields = {}) {
    super(fields.message ?? ERROR_CATALOGUE[code].message, { cause: fields.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = ERROR_CATALOGUE[code].status;
    this.param = fields.param;
    this.details = fields.details;
    this.headers = fields.headers ?? {};
  }
}

/** Makes a 400 that names the field. */
export function invalid(param: string | undefined, message: string): ApiError {
  return new ApiError('invalid_request', param === undefined ? { message } : { message, param });
}

/** Makes a 403 that says why. */
export function forbidden(message: string): ApiError {
  return new ApiError('insufficient_permissions', { message });
}

/** Makes a 503: too much is in flight. */
export function overloaded(cause?: unknown): ApiError {
  // Random, so that callers refused together do not return together.
  return new ApiError('overloaded', { headers: { 'Retry-After': String(1 + Math.floor(Math.random() * 3)) }, cause });
}

/** Reads the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Reads the code of a Node error, such as ENOENT. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** An OperatorError names a fault of the set-up or of a command's arguments. It is printed without a stack. */
export class OperatorError extends Error {
  readonly exitCode: number;

  constructor(message: string, options?: { cause?: unknown; exitCode?: number }) {
    super(message, options);
    this.name = 'OperatorError';
    this.exitCode = options?.exitCode ?? 1;
  }
}
