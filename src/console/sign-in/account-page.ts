import { checkCredentials } from '../../accounts/login.js';
import { checkPassword, MIN_PASSWORD } from '../../accounts/password.js';
import { hashSecret } from '../../accounts/secret.js';
import { deleteOtherSessions } from '../../accounts/store/sessions.js';
import { changePassword } from '../../accounts/store/users.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { invalid } from '../../base/errors.js';
import { html, type Html } from '../../text/html.js';
import { facts, field, form } from '../shared/components.js';
import { recordChange, userPage, type UserVisit } from '../shared/console-page.js';

const METHODS = { password: 'password', oidc: 'single sign-on', proxy: 'your proxy' };

export const accountPage = userPage({
  path: '/account',
  show: (visit) => {
    const { user } = visit;
    const inProjects = Object.keys(user.memberships).length;
    return {
      title: 'Account',
      content: html`${facts([
        ['E-mail address', user.email],
        ['Role over all projects', user.role ?? 'none'],
        ['Projects of your own', inProjects],
        ['Logged in by', METHODS[user.method]],
      ])}
${user.hasPassword ? passwordForm(visit) : undefined}`,
    };
  },
  actions: {
    password: {
      role: undefined,
      run: async (visit, given) => {
        const { deps, user, request, secret } = visit;
        const address = request.ip ?? '';
        const password = checkPassword(given.get('password') ?? '');
        await checkCredentials(deps, user.email, given.get('old') ?? '', address).catch((error: unknown) => {
          throw isWrongPassword(error) ? invalid('old', 'This is not your password.') : error;
        });
        const hash = await deps.passwords.hash(password, address);
        await inTransaction(deps.db, async (trx) => {
          await changePassword(trx, user.userId, hash);
          await deleteOtherSessions(trx, user.userId, hashSecret(secret));
          await recordChange(visit, 'password changed', user.email, trx);
        });
        return { to: '/account', text: 'The password is changed. Your other sessions have ended.' };
      },
    },
  },
});

function passwordForm(visit: UserVisit): Html {
  return html`<h2>Change the password</h2>
${form(
  visit,
  '/account/password',
  html`<input type="hidden" name="email" value="${visit.user.email}" autocomplete="username">
${field(visit, { name: 'old', label: 'Your password now', type: 'password', autocomplete: 'current-password', attributes: { required: true } })}
${field(visit, { name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: `${MIN_PASSWORD} characters at least. Your other sessions end.`, attributes: { required: true, minlength: MIN_PASSWORD } })}
<button class="button primary">Change it</button>`,
)}`;
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof Error && 'param' in error && error.param === 'password';
}
