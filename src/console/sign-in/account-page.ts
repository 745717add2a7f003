import { MIN_PASSWORD } from '../../accounts/credentials.js';
import { acceptInvitation, type OpenInvitation, readInvitation } from '../../accounts/invitations.js';
import { beginSession } from '../../accounts/login.js';
import { changePassword } from '../../accounts/users.js';
import { invalid } from '../../base/errors.js';
import { html, type Html } from '../../text/html.js';
import { facts, field, form } from '../shared/components.js';
import { asAnyone, publicPage, userPage, type UserVisit, type Visit } from '../shared/console-page.js';
import { setSessionCookie } from '../shared/session.js';
import { signOnLink } from './login-page.js';

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
${user.hasPassword && passwordForm(visit)}`;
  },
  actions: {
    password: asAnyone(async ({ deps, user, request, secret }, fields) => {
      const passwords = { old: fields.get('old') ?? '', password: fields.get('password') ?? '' };
      await changePassword(deps, user, passwords, secret, request.ip ?? '');
      return 'Password changed. Your other sessions have ended.';
    }),
  },
});

function passwordForm(visit: UserVisit): Html {
  const post = form(visit, '/account/password');
  return html`<h2>Change password</h2>
${post`<input type="hidden" name="email" value="${visit.user.email}" autocomplete="username">
${field(visit, { name: 'old', label: 'Current password', type: 'password', autocomplete: 'current-password', attributes: { required: true } })}
${field(visit, { name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: `At least ${MIN_PASSWORD} characters. Your other sessions will end.`, attributes: { required: true, minlength: MIN_PASSWORD } })}
<button class="button primary">Change password</button>`}`;
}

export const invitationPage = publicPage({
  path: '/invitation/:secret',
  title: 'You are invited',
  show: async (visit) => content(visit, await readInvitation(visit.deps, visit.params['secret'])),
  actions: {
    accept: asAnyone(async ({ deps, params, request, response }, fields) => {
      const password = fields.get('password') ?? '';
      const again = fields.get('again');
      if (again !== undefined && again !== password) throw invalid('again', 'The passwords do not match.');
      const userId = await acceptInvitation(deps, params['secret'] ?? '', password, request.ip ?? '');
      setSessionCookie(response, await beginSession(deps, userId));
      return { to: '/', text: 'Welcome. You are logged in.' };
    }),
  },
});

function content(visit: Visit, { email, role, project_name, by }: OpenInvitation): Html {
  const post = form(visit, `/invitation/${visit.params['secret'] ?? ''}/accept`, 'form card');
  const password =
    by === 'own password'
      ? field(visit, {
          name: 'password',
          label: 'Your password',
          type: 'password',
          autocomplete: 'current-password',
          hint: 'You already have an account.',
        })
      : html`${field(visit, { name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: `At least ${MIN_PASSWORD} characters. A few words work well.`, attributes: { required: true, minlength: MIN_PASSWORD } })}
${field(visit, { name: 'again', label: 'Repeat the password', type: 'password', autocomplete: 'new-password', attributes: { required: true } })}`;
  return html`<p><strong>${email}</strong> will have the role ${role} in ${project_name === null ? 'all projects' : html`the project <strong>${project_name}</strong>`}.</p>
${signOnLink(visit, '/', 'This accepts the invitation if your identity provider confirms the address.')}
${
  by !== 'single sign-on' &&
  post`<input type="hidden" name="email" value="${email}" autocomplete="username">${password}<button class="button primary">Accept</button>`
}`;
}
