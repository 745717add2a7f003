import { randomUUID } from 'node:crypto';
import { inviteUser } from '../../accounts/invitations.js';
import { includesRole, ROLES } from '../../accounts/roles.js';
import { listMembers, type MemberRow } from '../../accounts/store/users.js';
import { changeRole, removeMember } from '../../accounts/users.js';
import { ApiError } from '../../base/errors.js';
import { readAddress } from '../../watch/channels.js';
import { renderInvitation } from '../../watch/mail.js';
import { html, type Html } from '../../text/html.js';
import { button, field, form, select, table, time } from '../shared/components.js';
import { asAdmin, actorOf, type Action, type ProjectVisit } from '../shared/console-page.js';

const ROLE_CHOICES = {
  viewer: 'Viewer: sees everything except keys',
  editor: 'Editor: changes pages and redirects',
  admin: 'Admin: also changes keys, settings and members',
};

export async function memberSection(visit: ProjectVisit): Promise<Html> {
  const members = await listMembers(visit.deps.db, visit.project.project_id);
  const post = form(visit, visit.ownPath('/settings/invite'), 'form card');
  return html`<h2 id="members">Members</h2>
${table('Members', members, undefined, {
  Member: (member) => member.email,
  Role: (member) => (member.everywhere ? html`${member.role}<span class="sub">of all projects</span>` : member.role),
  'Last login': (member) => time(member.last_login_at),
  Actions: (member) => !member.everywhere && memberActions(visit, member),
})}
${groupRoles(visit)}
<h3>Invite someone</h3>
${post`${field(visit, { name: 'email', label: 'E-mail address', type: 'email', of: 'invite', hint: visit.deps.sendMail ? 'They get a mail with a link, which works once and expires after seven days.' : 'You get a link to send. It works once and expires after seven days.', attributes: { required: true, maxlength: 254 } })}
${select(visit, { name: 'role', label: 'Role', of: 'invite', choices: ROLE_CHOICES })}
<button class="button primary">Create invitation</button>`}`;
}

/** Users with access through a group are not members, and not listed. */
function groupRoles({ deps, project }: ProjectVisit): Html | false {
  const groups = deps.openIdRoles.filter(
    ({ project: of }) => of === undefined || of === project.name || of.toLowerCase() === project.project_id,
  );
  return (
    groups.length > 0 &&
    html`<p>These single sign-on groups also have access:</p><ul>${groups.map(({ group, role }) => html`<li>${group}: ${role}</li>`)}</ul>`
  );
}

function memberActions(visit: ProjectVisit, { user_id, email, role }: MemberRow): Html {
  const path = visit.ownPath('/settings');
  const otherRoles = ROLES.filter((name) => name !== role);
  return html`<div class="actions">${otherRoles.map((newRole) =>
    button(visit, `${path}/change-role`, `Make ${newRole}`, {
      fields: { user: user_id, role: newRole },
      className: 'button small',
      label: `Make ${newRole}: ${email}`,
    }),
  )}${button(visit, `${path}/remove-member`, 'Remove', {
    fields: { user: user_id },
    className: 'button small danger',
    label: `Remove ${email}`,
    confirm: `Remove ${email} from this project?`,
  })}</div>`;
}

/** A member of this project itself. @throws ApiError not_found */
async function requireMember({ deps, project }: ProjectVisit, userId: string | undefined): Promise<MemberRow> {
  const members = await listMembers(deps.db, project.project_id);
  const member = members.find(({ user_id, everywhere }) => user_id === userId && !everywhere);
  if (!member) throw new ApiError('not_found', { message: 'This user is not a member of the project.' });
  return member;
}

export const MEMBER_ACTIONS: Readonly<Record<string, Action<ProjectVisit>>> = {
  invite: asAdmin(async (visit, fields) => {
    const { deps, project } = visit;
    const role = fields.choice('role', ROLES);
    const invited = await inviteUser(deps.db, actorOf(visit), { email: fields.text('email', 254), role, project });
    const link = `${deps.consoleUrl()}/invitation/${invited.secret}`;
    const isMailed = await mailInvitation(visit, invited.email, link);
    const text = isMailed
      ? `The invitation was mailed to ${invited.email}. Its link works once, and is shown here only once.`
      : `Send this link to ${invited.email}. It works once and is shown only once.`;
    return { text, secret: link };
  }),
  'change-role': asAdmin(async (visit, fields) => {
    const { deps, project } = visit;
    const role = fields.choice('role', ROLES);
    const member = await requireMember(visit, fields.get('user'));
    await changeRole(deps.db, actorOf(visit), project, member, role);
    return { to: afterChange(visit, member, includesRole(role, 'admin')), text: `${member.email} is now ${role}.` };
  }),
  'remove-member': asAdmin(async (visit, fields) => {
    const { deps, project } = visit;
    const member = await requireMember(visit, fields.get('user'));
    await removeMember(deps.db, actorOf(visit), project, member);
    return { to: afterChange(visit, member, false), text: `${member.email} is no longer a member.` };
  }),
};

/** Returns false where the mail has to be sent by hand: without SMTP_URL, or if the server did not take it. */
async function mailInvitation({ deps, user, project }: ProjectVisit, email: string, link: string): Promise<boolean> {
  if (!deps.sendMail) return false;
  try {
    const mail = renderInvitation({ by: user.email, project: project.name, link });
    return (await deps.sendMail({ id: randomUUID(), to: [readAddress(email)], ...mail })).length === 0;
  } catch (error) {
    deps.logger.warn('an invitation could not be mailed', { error });
    return false;
  }
}

/** Users who removed their own access no longer see the project. */
function afterChange({ user, project }: ProjectVisit, { user_id }: MemberRow, stays: boolean): string {
  return user_id === user.userId && !stays && user.role === null ? '/' : `/p/${project.project_id}/settings`;
}
