import { randomBytes } from 'node:crypto';
import type { Express, NextFunction, Request, Response } from 'express';
import { ApiError, ERROR_CATALOGUE } from '../../base/errors.js';
import { renderError, toApiError } from '../../http/answers.js';
import { contextOf } from '../../http/request-context.js';
import type { Bulkhead } from '../../platform/limits/bulkhead.js';
import { html } from '../../text/html.js';
import type { Assets } from '../assets.js';
import { LogInFirst, type ConsoleDeps, type Mountable, type View, type Visit } from './console-page.js';
import { type Form, readForm, receiveForm, Receiving } from './forms.js';
import { renderPage, type Frame } from './layout.js';
import { findCurrentUser, formTokenOf, setNotice, takeNotice } from './session.js';
import type { ReceivedForm } from './upload.js';

export interface MountDeps {
  deps: ConsoleDeps;
  /** The path of CONSOLE_URL, without a slash at its end. */
  base: string;
  assets: Assets;
  /** The slots for all work of the console on the database; users take turns. */
  slots: Bulkhead;
  /** The slots for pages that send requests to other servers, and for uploaded files. */
  slotsOfOthers: Bulkhead;
}

/** Mounts all pages: GET shows one, POST does an action and leads on to a page (303). */
export function mountPages(app: Express, mount: MountDeps, pages: readonly Mountable[]): void {
  const { base, slots, slotsOfOthers } = mount;
  const receiving = new Receiving();
  const nav = pages
    .filter((page) => page.isOfProject && page.nav !== undefined)
    .map(({ path, nav: name = '' }) => ({ path: path.replace('/p/:project', ''), name }));
  const refuse = (response: Response, error: unknown): void => {
    const { message } = renderError(error, response, mount.deps.logger);
    const { status, headers } = toApiError(error);
    response.status(status).set(headers).type('text').send(message);
  };
  const handle = (page?: Mountable, action?: string) => async (request: Request, response: Response) => {
    const line = request.ip ?? '';
    const form = action === undefined ? undefined : page?.actions[action];
    let visit: Visit | undefined;
    // A slow sender holds no slot. A large form or a file is received once its sender is known.
    const receive = async (): Promise<ReceivedForm> => {
      if (!page || action === undefined || !form) throw new ApiError('not_found');
      const all = (): Promise<ReceivedForm> => receiveForm(request, response, form, mount.deps.bytes);
      if ((form.maxBytes ?? form.maxUpload) === undefined) return all();
      const { user } = await slots.run(line, async () => {
        visit = await beginVisit(mount, request, response);
        await page.admit(action, visit);
        return visit;
      });
      return receiving.run(user?.userId ?? '', all);
    };
    const body = receive();
    // The page that is shown below explains why the form was not received.
    await body.catch(() => undefined);
    // The sender has left.
    if (response.destroyed) return;
    await (page?.asksOthers || form?.maxUpload ? slotsOfOthers : slots)
      .run(line, async () => {
        visit ??= await beginVisit(mount, request, response);
        const nonce = randomBytes(16).toString('base64');
        response.set(headersOf(nonce));
        contextOf(response).route = `${base}${page?.path ?? '/…'}${action === undefined ? '' : `/${action}`}`;
        const path = request.path.slice(base.length);
        const frame = { visit, assets: mount.assets, nonce, nav, path };
        await answerVisit(mount, frame, page, action, body);
      })
      .catch((error: unknown) => refuse(response, error));
  };
  // Express treats a path with a slash at its end like the path without it.
  app.get(`${base}/`, (request, response, next) => {
    if (request.path === base) response.redirect(302, `${base}/`);
    else next();
  });
  for (const page of pages) {
    const path = base + page.path;
    app.get(path, handle(page));
    for (const action of Object.keys(page.actions))
      app.post(`${path === `${base}/` ? base : path}/${action}`, handle(page, action));
  }
  // If the console is below a path, the root of the host leads to it.
  app.get('/', (_request, response) => response.redirect(302, `${base}/`));
  app.use(handle());
  // A path that is not text: Express could not even find its page.
  // Express knows a handler of errors by its four parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    refuse(response, new ApiError('not_found'));
  });
}

async function beginVisit({ deps, base }: MountDeps, request: Request, response: Response): Promise<Visit> {
  const { secret, user, problem } = await findCurrentUser(deps, request, response);
  return {
    deps,
    request,
    response,
    secret,
    params: request.params as Record<string, string>,
    // PostgreSQL stores no U+0000, so that no stored text would match one.
    query: new URL(request.url.replaceAll('%00', ''), 'http://console').searchParams,
    user,
    href: (path) => base + path,
    formToken: formTokenOf(secret),
    notice: request.method === 'POST' ? undefined : takeNotice(request, response),
    ...(problem && { problem }),
  };
}

async function answerVisit(
  { deps, base }: MountDeps,
  frame: Frame,
  page: Mountable | undefined,
  action: string | undefined,
  body: Promise<ReceivedForm>,
): Promise<void> {
  const { visit } = frame;
  const { request, response } = visit;
  let form: Form | undefined;
  try {
    if (!page || Object.values(visit.params).some((part) => part.includes('\0')))
      throw new ApiError('not_found', { message: 'This page does not exist.' });
    if (action === undefined) {
      send(response, frame, await page.show(visit));
      return;
    }
    const options = { formToken: visit.formToken, consoleUrl: deps.consoleUrl() };
    const read = async (): Promise<Form> => (form = await readForm(request, body, options));
    const { to, ...notice } = await page.run(action, visit, read);
    if (notice.text !== '') setNotice(response, notice);
    response.redirect(303, base + to);
  } catch (error) {
    if (error instanceof LogInFirst) {
      const to = request.method === 'GET' ? `?to=${encodeURIComponent(request.originalUrl.slice(base.length))}` : '';
      response.redirect(303, `${base}/login${to}`);
      return;
    }
    send(response, frame, await explain(error, visit, page, form));
  }
}

/** Shows the page of the form again with the reason for the error, or else a page about the error alone. */
async function explain(error: unknown, visit: Visit, page: Mountable | undefined, form: Form | undefined) {
  const { response } = visit;
  const { code, message, param } = renderError(error, response, visit.deps.logger);
  const { status, headers } = toApiError(error);
  const problem = { message, field: param };
  if (form && page && [400, 409, 413, 429].includes(status)) {
    const shown = await page.show(Object.assign(visit, { problem, fields: form })).catch(() => undefined);
    if (shown) return { ...shown, status };
  }
  response.set(headers);
  const number =
    code === 'internal_error' ? html`<p class="quiet">Request ${contextOf(response).requestId}</p>` : undefined;
  return {
    title: TITLES[status] ?? 'Something went wrong',
    status,
    content: html`<p>${message}</p>${number}<p><a href="${visit.href('/')}">Back to your projects</a></p>`,
  };
}

const TITLES: Readonly<Record<number, string>> = {
  [ERROR_CATALOGUE.insufficient_permissions.status]: 'Permission denied',
  [ERROR_CATALOGUE.not_found.status]: 'Not found',
  [ERROR_CATALOGUE.rate_limit_exceeded.status]: 'Too many attempts',
  [ERROR_CATALOGUE.overloaded.status]: 'Server busy',
};

function send(response: Response, frame: Frame, view: View): void {
  if (view.redirect !== undefined) {
    response.redirect(303, view.redirect);
    return;
  }
  response.status(view.status ?? 200);
  if (view.raw) {
    const { type, body, filename } = view.raw;
    if (filename !== undefined) response.attachment(filename);
    response.type(type).send(typeof body === 'string' ? body : Buffer.from(body.buffer));
    return;
  }
  response.type('html').send(renderPage(frame, view));
}

function headersOf(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy':
      `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src 'self'; ` +
      "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}
