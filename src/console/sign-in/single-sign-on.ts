import { countAttempt } from '../../accounts/login.js';
import { mintSecret } from '../../accounts/credentials.js';
import { resolveGroupRoles, signOn } from '../../accounts/single-sign-on/sign-on.js';
import { ApiError, forbidden } from '../../base/errors.js';
import { html } from '../../text/html.js';
import { publicPage, type View, type Visit } from '../shared/console-page.js';
import { setSessionCookie, setSignOnCookie, takeSignOnCookie } from '../shared/session.js';
import { loginView, pathAfter } from './login-page.js';

const CALLBACK = '/login/callback';

/** The page leads to the company's provider of single sign-on. */
export const signOnPage = publicPage({
  path: '/login/sso',
  asksOthers: true,
  show: (visit) =>
    orLogin(visit, async ({ deps, query, response }) => {
      if (!deps.openId) throw new ApiError('not_found', { message: 'Single sign-on is not set up.' });
      const secret = mintSecret();
      const url = await deps.openId.begin(secret, deps.consoleUrl() + CALLBACK);
      setSignOnCookie(response, secret, pathAfter(query.get('to')));
      return url.href;
    }),
});

/** The provider leads back to this page, which logs the user in. */
export const signOnCallbackPage = publicPage({
  path: CALLBACK,
  asksOthers: true,
  show: (visit) =>
    orLogin(visit, async ({ deps, request, response, href }) => {
      const { db, openId, openIdRoles, loginAudit, loginAttempts } = deps;
      if (!openId) throw new ApiError('not_found', { message: 'Single sign-on is not set up.' });
      const address = request.ip ?? '';
      countAttempt(loginAttempts, address);
      const begun = takeSignOnCookie(request, response);
      if (!begun)
        throw forbidden('This login was started in another browser, or more than ten minutes ago. Start again.');
      const answer = new URL(deps.consoleUrl() + CALLBACK);
      answer.search = new URL(request.url, 'http://console').search;
      const person = await openId.finish(begun.secret, answer).catch(async (error: unknown) => {
        const reason = error instanceof ApiError ? error.message : 'it failed';
        await loginAudit.refused({ method: 'oidc', address }, reason);
        throw error;
      });
      const groupRoles = await resolveGroupRoles(db, person.groups, openIdRoles);
      setSessionCookie(response, await signOn(deps, { ...person, method: 'oidc', groupRoles }, address));
      return href(pathAfter(begun.to));
    }),
});

/** Shows the login page with a message if single sign-on fails: the user may still have a password. */
async function orLogin(visit: Visit, work: (visit: Visit) => Promise<string>): Promise<View> {
  try {
    return { title: 'Single sign-on', content: html``, redirect: await work(visit) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'not_found') throw error;
    visit.response.set(error.headers);
    const problem = { message: error.message, field: undefined };
    return { ...loginView(Object.assign(visit, { problem })), status: error.status };
  }
}
