import { endSession } from '../../accounts/login.js';
import { html, type Html } from '../../text/html.js';
import { publicPage, type Visit } from '../shared/console-page.js';
import { clearSessionCookie } from '../shared/session.js';

/** The button in the head of every page. */
export const logoutPage = publicPage({
  path: '/logout',
  show: (visit) => ({
    title: 'Logged out',
    content: content(visit),
  }),
  actions: {
    session: {
      role: undefined,
      run: async ({ deps, secret, response }) => {
        await endSession(deps, secret);
        clearSessionCookie(response);
        return { to: '/logout', text: '' };
      },
    },
  },
});

/** A link, not a redirect after the form: `form-action 'self'` stops those to another site. */
function content({ deps, href, request }: Visit): Html {
  const atProvider = deps.openId?.logoutUrl(`${deps.consoleUrl()}/logout`);
  return html`<p>You are logged out here. <a href="${href('/login')}">Log in</a></p>
${atProvider && html`<p>Your company's single sign-on may still know you, and log you in without asking. On a machine that others use, <a href="${atProvider.href}">log out there, too</a>.</p>`}
${deps.readProxyHeader?.(request).kind === 'person' ? html`<p>The proxy in front of this console still knows you: log out there, too.</p>` : undefined}`;
}
