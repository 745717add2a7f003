import { Ajv } from 'ajv';
import { ERROR_CATALOGUE } from '#src/base/errors.js';
import { ERROR, type Operation } from '#src/http/operation.js';
import { GONE_CODES, REDIRECT_CODES } from '#src/rule-formats/read/read-rule.js';
import { ALL_OPERATIONS } from '#src/app/openapi.js';
import type { FuzzedRequest } from './requests.js';
import type { RawAnswer } from './send.js';

/** A broken head or frame is refused with one of these statuses, before there is a request. */
const REFUSED_AT_ONCE = [400, 408, 431];

const REDIRECTS: readonly number[] = REDIRECT_CODES;
const GONE: readonly number[] = GONE_CODES;

/** Says what is wrong with an answer; undefined when nothing is. */
export type Judge = (operation: Operation, request: FuzzedRequest, answer: RawAnswer | undefined) => string | undefined;

export function createJudge(): Judge {
  // The schemas are the routes' own descriptions; the judge checks whether answers keep to them.
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  const isError = ajv.compile(ERROR);
  const schemas = new Map(
    ALL_OPERATIONS.flatMap(({ method, path, answers }) =>
      Object.entries(answers).flatMap(([status, { schema }]) =>
        schema ? [[`${method as string} ${path} ${status}`, ajv.compile(schema)] as const] : [],
      ),
    ),
  );
  const errorStatus = new Map<string, number>(
    Object.entries(ERROR_CATALOGUE).map(([code, { status }]) => [code, status]),
  );

  return (operation, request, answer) => {
    const damaged =
      !['length', 'chunked'].includes(request.framing) ||
      request.headers.length > 1 ||
      !/^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(request.method);
    if (!answer) return damaged ? undefined : 'no answer at all';
    const { status, headers, body } = answer;
    if (status >= 500) return `status ${status}: ${body.toString()}`;
    if (!headers.has('x-request-id')) return `status ${status} without X-Request-Id`;
    for (const name of headers.keys())
      if (/^(set-cookie|access-control-|x-powered-by|server$)/.test(name)) return `header ${name}`;
    if (request.method === 'HEAD') return undefined;
    // A rule redirects with a code of its own, and 302 alone is described.
    const described = REDIRECTS.includes(status) ? 302 : status;
    if (described === 204 || described === 302)
      return described in operation.answers && (described === 302 || body.length === 0)
        ? undefined
        : `status ${status}`;
    const [type = '', charset] = (headers.get('content-type') ?? '').split('; ');
    if (operation.answers[status]?.texts?.includes(type) && charset === 'charset=utf-8') return undefined;
    if (!/^application\/json; charset=utf-8$/.test(headers.get('content-type') ?? ''))
      return `Content-Type ${headers.get('content-type') ?? 'missing'}`;
    let parsed: unknown;
    try {
      parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    } catch {
      return `not JSON in UTF-8: ${body.toString('latin1').slice(0, 200)}`;
    }
    if (status < 400) {
      const check = schemas.get(`${request.method} ${operation.path} ${status}`);
      return check?.(parsed) ? undefined : `an answer ${status} outside its schema: ${ajv.errorsText(check?.errors)}`;
    }
    if (!isError(parsed)) return `an error outside its schema: ${ajv.errorsText(isError.errors)}`;
    const {
      code,
      message,
      param = '',
    } = (parsed as { error: { code: string; message: string; param?: string } }).error;
    if (
      errorStatus.get(code) !== status &&
      !(code === 'not_found' && GONE.includes(status) && 410 in operation.answers) &&
      !(damaged && code === 'invalid_request' && REFUSED_AT_ONCE.includes(status))
    )
      return `${code} with status ${status}`;
    // A message must not show the service's inside: stacks, SQL, folders. The caller's own key, which `param` names,
    // may look like them.
    return /\n[ \t]+at |node_modules|pathmend\.|\bselect\b.*\bfrom\b|postgres/i.test(message.replaceAll(param, ''))
      ? `a message that shows too much: ${message}`
      : undefined;
  };
}
