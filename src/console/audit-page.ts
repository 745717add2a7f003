import { METHOD_NAMES } from '../accounts/login.js';
import { selectAuditEntries, type AuditEntry } from '../accounts/store/audit-log.js';
import { html, type Html } from '../text/html.js';
import { empty, table, time } from './shared/components.js';
import { userPage } from './shared/console-page.js';
import { pager } from './shared/links.js';

const ENTRIES = 50;
const NOTHING = empty(
  'No changes yet.',
  'Every change made in the console is listed here: who made it, when, how and from which address.',
);

/** Lists changes: all of them for an admin of all projects, else those of the user and of the projects they admin. */
export const auditPage = userPage({
  path: '/audit',
  title: 'Audit',
  show: async ({ deps, user, query, href }) => {
    const before = /^\d{1,18}$/.exec(query.get('before') ?? '')?.[0];
    const projectIds = Object.entries(user.memberships).flatMap(([id, role]) => (role === 'admin' ? [id] : []));
    const reader = user.role === 'admin' ? undefined : { projectIds, userId: user.userId };
    const rows = await selectAuditEntries(deps.db, reader, before, ENTRIES + 1);
    const entries = rows.slice(0, ENTRIES);
    const last = rows.length > ENTRIES ? entries.at(-1)?.entry_id : undefined;
    return html`${table('Changes, newest first', entries, NOTHING, {
      When: ({ changed_at: at }) => time(at),
      Who: (entry) => html`${entry.who}${how(entry)}`,
      Project: ({ project_name: name }) => name ?? html`<span class="quiet">none</span>`,
      Action: ({ action }) => action,
      Subject: ({ subject }) => html`<span class="url">${subject}</span>`,
    })}${last !== undefined && pager(href(`/audit?before=${last}`), 'Older')}`;
  },
});

/** Describes how and from where the user had logged in; not for the entry of a login, whose subject has these words. */
function how({ method, address, subject }: AuditEntry): Html | undefined {
  if (method === null) return undefined;
  const loginText = `by ${METHOD_NAMES[method]}${address === null ? '' : ` from ${address}`}`;
  return subject.startsWith(loginText) ? undefined : html`<span class="sub">${loginText}</span>`;
}
