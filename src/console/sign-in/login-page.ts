import { beginSession, checkCredentials, endSession } from '../../accounts/login.js';
import { html, type Html } from '../../text/html.js';
import { field, form } from '../shared/components.js';
import { asAnyone, publicPage, type View, type Visit } from '../shared/console-page.js';
import { setSessionCookie, clearSessionCookie } from '../shared/session.js';

/** Returns the path of the console to go to after the login; never a path of another site. */
export function pathAfter(text: string | null | undefined): string {
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

export function loginView(visit: Visit): View {
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
