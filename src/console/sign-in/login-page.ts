import { mintSecret } from '../../accounts/credentials.js';
import { beginSession, checkCredentials, countAttempt, endSession } from '../../accounts/login.js';
import type { OpenIdProvider } from '../../accounts/single-sign-on/openid-provider.js';
import { resolveGroupRoles, signOn } from '../../accounts/single-sign-on/sign-on.js';
import { ApiError, forbidden } from '../../base/errors.js';
import { html, type Html } from '../../text/html.js';
import { field, form } from '../shared/components.js';
import { asAnyone, publicPage, type View, type Visit } from '../shared/console-page.js';
import { clearSessionCookie, setSessionCookie, setSignOnCookie, takeSignOnCookie } from '../shared/session.js';

const CALLBACK = '/login/callback';

/** Returns the path of the console to go to after the login; never a path of another site. */
function pathAfter(text: string | null | undefined): string {
  return text != null && /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(text) ? text : '/';
}

export const loginPage = publicPage({
  path: '/login',
  title: 'Log in',
  show: (visit: Visit) =>
    // A user that a proxy has logged in meanwhile needs no form.
    visit.user && !visit.problem
      ? { content: html``, redirect: visit.href(pathAfter(visit.query.get('to'))) }
      : loginView(visit),
  actions: {
    session: asAnyone(async ({ deps, request, response }, fields) => {
      const address = request.ip ?? '';
      const user = await checkCredentials(deps, fields.get('email') ?? '', fields.get('password') ?? '', address);
      await deps.loginAudit.loggedIn({ method: 'password', address, userId: user.user_id, who: user.email });
      setSessionCookie(response, await beginSession(deps, user.user_id));
      return { to: pathAfter(fields.get('to')), text: '' };
    }),
  },
});

function loginView(visit: Visit): View {
  const to = pathAfter(visit.fields?.get('to') ?? visit.query.get('to'));
  const post = form(visit, '/login/session', 'form card');
  const password = post`${field(visit, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', attributes: { required: true, maxlength: 254 } })}
${field(visit, { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', attributes: { required: true } })}
<input type="hidden" name="to" value="${to}">
<button class="button primary">Log in</button>
<p class="hint">No account, or forgot your password? Ask an operator to invite you: <code class="nowrap">user invite</code>.</p>`;
  return {
    title: 'Log in',
    content: html`${signOnLink(visit, to)}${visit.deps.passwordLogin ? password : html`<details><summary>Log in with a password</summary>${password}</details>`}`,
  };
}

/** The link to the company's provider; undefined without single sign-on. */
export function signOnLink({ deps, href }: Visit, to: string, hint?: string): Html | undefined {
  if (!deps.openId) return undefined;
  return html`<p class="card"><a class="button primary" href="${href(`/login/sso?to=${encodeURIComponent(to)}`)}">Log in with single sign-on</a>${hint !== undefined && html`<span class="hint">${hint}</span>`}</p>`;
}

/** The page after a logout. Its action is the button in the head of every page. */
export const logoutPage = publicPage({
  path: '/logout',
  title: 'Logged out',
  show: content,
  actions: {
    session: asAnyone(async ({ deps, secret, response }) => {
      await endSession(deps, secret);
      clearSessionCookie(response);
      return '';
    }),
  },
});

/** The page links to the provider, since `form-action 'self'` stops redirects of a form to another site. */
function content({ deps, href, request }: Visit): Html {
  const atProvider = deps.openId?.logoutUrl(`${deps.consoleUrl()}/logout`);
  return html`<p>You are logged out. <a href="${href('/login')}">Log in</a></p>
${atProvider && html`<p>Your single sign-on session may still be open and log you in again. On a shared computer, <a href="${atProvider.href}">log out there too</a>.</p>`}
${deps.readProxyHeader?.(request).kind === 'person' && html`<p>The proxy in front of this console still has you logged in. Log out there too.</p>`}`;
}

/** The page leads to the company's provider of single sign-on. */
export const signOnPage = publicPage({
  path: '/login/sso',
  asksOthers: true,
  show: (visit) =>
    orLogin(visit, async ({ deps, query, response }, openId) => {
      const secret = mintSecret();
      const url = await openId.begin(secret, deps.consoleUrl() + CALLBACK);
      setSignOnCookie(response, secret, pathAfter(query.get('to')));
      return url.href;
    }),
});

/** The provider leads back to this page, which logs the user in. */
export const signOnCallbackPage = publicPage({
  path: CALLBACK,
  asksOthers: true,
  show: (visit) =>
    orLogin(visit, async ({ deps, request, response, href }, openId) => {
      const { db, openIdRoles, loginAudit, loginAttempts } = deps;
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
async function orLogin(visit: Visit, work: (visit: Visit, openId: OpenIdProvider) => Promise<string>): Promise<View> {
  const { openId } = visit.deps;
  if (!openId) throw new ApiError('not_found', { message: 'Single sign-on is not set up.' });
  try {
    return { title: 'Single sign-on', content: html``, redirect: await work(visit, openId) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    visit.response.set(error.headers);
    const problem = { message: error.message, field: undefined };
    return { ...loginView(Object.assign(visit, { problem })), status: error.status };
  }
}
