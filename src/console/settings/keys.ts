import { endKey, makeKey, nameOf, rotateKey } from '../../projects/keys.js';
import { listKeys, type KeyRow } from '../../projects/store/keys.js';
import { ApiError, invalid } from '../../base/errors.js';
import { SCOPES } from '../../base/glossary.js';
import { html, type Html } from '../../text/html.js';
import { badge, button, checkbox, empty, field, form, select, table, time } from '../shared/components.js';
import { asAdmin, actorOf, type Action, type ProjectVisit } from '../shared/console-page.js';

const DAY_MS = 86_400_000;
/** The choices for when a key expires, in days; 0: never. */
const EXPIRIES = { never: 0, '30d': 30, '90d': 90, '365d': 365 };
const EXPIRY_CHOICES = { never: 'Never', '30d': 'In 30 days', '90d': 'In 90 days', '365d': 'In a year' };

export async function keySection(visit: ProjectVisit): Promise<Html> {
  const keys = await listKeys(visit.deps.db, visit.project.project_id);
  const now = visit.deps.clock.now();
  const post = form(visit, visit.ownPath('/settings/create-key'), 'form card');
  return html`<h2 id="keys">Keys</h2>
${
  keys.length === 0
    ? empty('No keys yet.', 'Your server calls pathmend with a key. Create one below.')
    : table('Keys', keys, undefined, {
        Name: (key) => key.name ?? html`<span class="quiet">no name</span>`,
        Key: (key) => html`<code>pm_${key.mode}_…${key.ending}</code>`,
        Scopes: (key) => key.scopes.join(', '),
        State: (key) => stateOf(key, now),
        'Last used': (key) => time(key.last_used_at),
        Actions: (key) => isValid(key, now) && keyActions(visit, key),
      })
}
<h3>Create a key</h3>
${post`${field(visit, { name: 'name', label: 'Name', hint: 'Where it will be used', of: 'create-key', attributes: { required: true, maxlength: 100 } })}
<div class="row">${select(visit, { name: 'mode', label: 'Mode', of: 'create-key', choices: { live: 'Live', test: 'Test: not counted in analytics' } })}
${select(visit, { name: 'expires', label: 'Expires', of: 'create-key', choices: EXPIRY_CHOICES })}</div>
<fieldset><legend>Scopes</legend>${SCOPES.map((scope) => checkbox('scopes', scope, scope !== 'rules', scope))}</fieldset>
<button class="button primary">Create key</button>`}`;
}

function keyActions(visit: ProjectVisit, { key_id, name, ending }: KeyRow): Html {
  const path = visit.ownPath('/settings');
  const shownName = name ?? `…${ending}`;
  return html`<div class="actions">${button(visit, `${path}/rotate-key`, 'Rotate', {
    fields: { key: key_id },
    className: 'button small',
    label: `Rotate the key ${shownName}`,
    confirm: `Create a new key to replace ${shownName}? The old one works for 24 more hours.`,
  })}${button(visit, `${path}/revoke-key`, 'Revoke', {
    fields: { key: key_id },
    className: 'button small danger',
    label: `Revoke the key ${shownName}`,
    confirm: `Revoke ${shownName}? Requests with this key are refused immediately.`,
  })}</div>`;
}

function isValid({ revoked_at, expires_at }: KeyRow, now: number): boolean {
  return revoked_at === null && (expires_at === null || expires_at.getTime() > now);
}

function stateOf(key: KeyRow, now: number): Html {
  if (key.revoked_at !== null) return badge('Revoked', 'quiet');
  if (!isValid(key, now)) return badge('Expired', 'quiet');
  return html`${badge('Valid', 'good')}${key.expires_at !== null && html`<span class="sub">until ${time(key.expires_at)}</span>`}`;
}

/** A key of this project: an id of another's finds none. @throws ApiError not_found */
async function requireKey({ deps, project }: ProjectVisit, id: string | undefined): Promise<KeyRow> {
  const key = (await listKeys(deps.db, project.project_id)).find(({ key_id }) => key_id === id);
  if (!key) throw new ApiError('not_found', { message: 'This key does not exist in the project.' });
  return key;
}

export const KEY_ACTIONS: Readonly<Record<string, Action<ProjectVisit>>> = {
  'create-key': asAdmin(async (visit, fields) => {
    const { deps, project } = visit;
    const name = fields.text('name', 100);
    const scopes = SCOPES.filter((scope) => fields.all('scopes').includes(scope));
    if (scopes.length === 0) throw invalid('scopes', 'Choose at least one scope.');
    const mode = fields.choice('mode', ['live', 'test']);
    const days = EXPIRIES[fields.choice('expires', ['never', '30d', '90d', '365d'])];
    const expiresAt = days === 0 ? null : new Date(deps.clock.now() + days * DAY_MS);
    const { key } = await makeKey(deps.db, actorOf(visit), project, { name, mode, scopes, expiresAt });
    return { text: `Key “${name}” created. Copy it now: it is shown only once.`, secret: key };
  }),
  'rotate-key': asAdmin(async (visit, fields) => {
    const { deps } = visit;
    const old = await requireKey(visit, fields.get('key'));
    const rotated = await rotateKey(deps.db, actorOf(visit), { id: old.key_id }, DAY_MS, null);
    if (!rotated) throw new ApiError('not_found', { message: 'This key has expired or was revoked.' });
    const text = `New key created. Copy it now: it is shown only once. The old key …${old.ending} works for 24 more hours.`;
    return { text, secret: rotated.key };
  }),
  'revoke-key': asAdmin(async (visit, fields) => {
    const { deps, project } = visit;
    const key = await requireKey(visit, fields.get('key'));
    await endKey(deps.db, actorOf(visit), { id: key.key_id });
    deps.indexChanges.committed(project.project_id);
    return `Key ${nameOf(key)} revoked.`;
  }),
};
