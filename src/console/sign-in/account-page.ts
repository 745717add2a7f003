import { MIN_PASSWORD } from '../../accounts/credentials.js';
import { changePassword } from '../../accounts/users.js';
import { html, type Html } from '../../text/html.js';
import { facts, field, form } from '../shared/components.js';
import { asAnyone, userPage, type UserVisit } from '../shared/console-page.js';

const METHODS = { password: 'password', oidc: 'single sign-on', proxy: 'your proxy' };

export const accountPage = userPage({
  path: '/account',
  title: 'Account',
  show: (visit) => {
    const { user } = visit;
    const inProjects = Object.keys(user.memberships).length;
    return html`${facts({
      'E-mail address': user.email,
      'Role in all projects': user.role ?? 'none',
      'Projects you belong to': html`<a href="${visit.href('/')}">${inProjects}</a>`,
      'Logged in by': METHODS[user.method],
    })}
${user.hasPassword ? passwordForm(visit) : undefined}`;
  },
  actions: {
    password: asAnyone(async ({ deps, user, request, secret }, filled) => {
      const given = { old: filled.get('old') ?? '', password: filled.get('password') ?? '' };
      await changePassword(deps, user, given, secret, request.ip ?? '');
      return 'Password changed. Your other sessions have ended.';
    }),
  },
});

function passwordForm(visit: UserVisit): Html {
  return html`<h2>Change password</h2>
${form(
  visit,
  '/account/password',
)`<input type="hidden" name="email" value="${visit.user.email}" autocomplete="username">
${field(visit, { name: 'old', label: 'Current password', type: 'password', autocomplete: 'current-password', attributes: { required: true } })}
${field(visit, { name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: `At least ${MIN_PASSWORD} characters. Your other sessions will end.`, attributes: { required: true, minlength: MIN_PASSWORD } })}
<button class="button primary">Change password</button>`}`;
}
