import { asObject } from '../errors.js';
import { handleNotFound } from './fetch.js';

/** @type {typeof import('../../index.js').honoNotFound} */
export function honoNotFound(client, options = {}) {
  const userIp = options.userIp;
  /** @type {(context: import('../../index.js').HonoContext, next?: () => Promise<void>) => Promise<any>} */
  const handler = async (context, next) => {
    // As middleware it comes after the others, and what they said of an order that is not there is theirs.
    if (next) {
      await next();
      if (context.res.status !== 404 || context.res.headers.get('content-type')?.includes('json')) return undefined;
    }
    const answer = await handleNotFound(context.req.raw, {
      client,
      waitUntil: waitUntilOf(context),
      ...options,
      userIp: userIp ?? (() => addressOnNode(context.env)),
    });
    if (!next) return answer ?? context.text('404 Not Found', 404);
    if (answer) context.res = answer;
    return undefined;
  };
  return handler;
}

/** @param {unknown} env */
function addressOnNode(env) {
  const { remoteAddress } = asObject(asObject(asObject(env)['incoming'])['socket']);
  return typeof remoteAddress === 'string' ? remoteAddress : undefined;
}

/** @param {{ executionCtx: { waitUntil(task: Promise<unknown>): void } }} context */
function waitUntilOf(context) {
  try {
    const runtime = context.executionCtx;
    return (/** @type {Promise<unknown>} */ task) => {
      runtime.waitUntil(task);
    };
  } catch {
    // Node has none: its processes go on after an answer.
    return undefined;
  }
}
