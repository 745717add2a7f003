import { findWatch, listAlerts, listDeliveries } from '../watch/store/watches.js';
import type { AlertRow, DeliveryRow, WatchRow } from '../watch/store/watches.js';
import { html, type Html } from '../text/html.js';
import { ALERT_KINDS, alertOf, MESSAGE_NAMES, type AlertKind, type Cause, type Message } from '../watch/alert.js';
import { CHANNELS, CHANNEL_NAMES, NO_RECEIVERS, type ChannelName } from '../watch/channels.js';
import { changeWatch, testWatch } from '../watch/change-watch.js';
import { MAX_MESSAGES_A_DAY } from '../watch/send-alerts.js';
import { badge, button, checkbox, empty, field, form, table, time, type Tone } from './shared/components.js';
import { asAdmin, projectPage, recordChange, type Notice, type ProjectVisit } from './shared/console-page.js';
import type { Form } from './shared/forms.js';

const SHOWN = 50;
const STATES: Readonly<Record<DeliveryRow['state'], [string, Tone]>> = {
  waiting: ['Waiting', 'waiting'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
};

/** The page shows what is wrong now, and who is notified. */
export const watchPage = projectPage({
  path: '/p/:project/watch',
  nav: 'Watch',
  show: async (visit) => {
    const { deps, project } = visit;
    const [alerts, watch] = await Promise.all([
      listAlerts<Cause>(deps.db, project.project_id, SHOWN),
      findWatch(deps.db, project.project_id),
    ]);
    return html`${alertSection(alerts, watch)}${
      visit.may('admin')
        ? html`${settingsSection(visit, watch)}${await deliverySection(visit, watch)}`
        : html`<p class="hint">Only admins of the project see who is notified.</p>`
    }`;
  },
  actions: {
    save: asAdmin(save),
    'new-secret': asAdmin(async (visit) => {
      const text = 'The old secret no longer signs messages. Copy the new one now: it is shown only once.';
      return { text, ...(await change(visit, { newSecret: true }, 'webhook secret renewed')) };
    }),
    test: asAdmin(async (visit) => {
      await testWatch(visit.deps, visit.project.project_id);
      return 'A test message is on its way. Reload this page to see whether it arrived.';
    }),
  },
});

async function save(visit: ProjectVisit, fields: Form): Promise<Notice> {
  const addressesOf = (name: ChannelName): string[] => {
    const { column, field } = CHANNELS[name];
    const text = (fields.get(column) ?? '').trim();
    return (field.several ? text.split(/[\s,;]+/) : [text]).filter((address) => address !== '');
  };
  const wanted = {
    addresses: Object.fromEntries(CHANNEL_NAMES.map((name) => [name, addressesOf(name)])),
    alerts: ALERT_KINDS.filter((kind) => fields.all('alerts').includes(kind)),
    digest: fields.get('digest') === 'on',
  };
  const changed = await change(visit, wanted, 'watch changed');
  const shown = changed.secret === undefined ? '' : ' Copy the webhook secret now: it is shown only once.';
  return { text: `Saved.${shown}`, ...changed };
}

async function change(visit: ProjectVisit, wanted: Parameters<typeof changeWatch>[2], action: string) {
  const { deps, project } = visit;
  const record = (trx: typeof deps.db): Promise<void> => recordChange(visit, action, project.name, trx);
  const { secret } = await changeWatch(deps, project.project_id, wanted, deps, record);
  return secret === undefined ? {} : { secret };
}

function alertSection(alerts: readonly AlertRow<Cause>[], watch: WatchRow | undefined): Html {
  const why = watch
    ? 'Alerts are listed here when they start and when they end.'
    : 'Alerts are not set up for this project yet. Admins set them up below.';
  return table('Alerts', alerts, empty('No alerts.', why), {
    Alert: ({ kind }) => alertOf(kind as AlertKind).name,
    Details: ({ kind, cause }) => html`<span class="url">${alertOf(kind as AlertKind).describe(cause)}</span>`,
    Started: ({ began_at }) => time(began_at),
    Ended: ({ ended_at }) => (ended_at === null ? badge('Ongoing', 'bad') : time(ended_at)),
  });
}

function settingsSection(visit: ProjectVisit, watch: WatchRow | undefined): Html {
  const isOn = (kind: AlertKind): boolean =>
    visit.fields?.all('alerts').includes(kind) ?? watch?.alerts.includes(kind) ?? true;
  const post = form(visit, visit.ownPath('/watch/save'), 'form card');
  return html`<h2 id="tell">Notifications</h2>
${post`${CHANNEL_NAMES.map((name) => channelField(visit, name, watch))}
<fieldset><legend>Alerts</legend>${ALERT_KINDS.map((kind) => checkbox('alerts', alertOf(kind).name, isOn(kind), kind))}</fieldset>
<fieldset><legend>Digest</legend>${checkbox('digest', 'Every Monday: what was missed, what was recovered, what to do', visit.fields ? visit.fields.get('digest') === 'on' : (watch?.digest ?? true))}</fieldset>
<button class="button primary">Save</button>`}`;
}

function channelField(visit: ProjectVisit, name: ChannelName, watch: WatchRow | undefined): Html {
  const { column, addressesIn, field: shown } = CHANNELS[name];
  return field(visit, {
    name: column,
    label: shown.label,
    hint: shown.hint(visit.deps),
    value: addressesIn(watch ?? NO_RECEIVERS).join(', '),
    attributes: shown.attributes,
    ...(shown.type && { type: shown.type }),
  });
}

async function deliverySection(visit: ProjectVisit, watch: WatchRow | undefined): Promise<Html | undefined> {
  if (!watch) return undefined;
  const { deps, project } = visit;
  const path = visit.ownPath('/watch');
  const confirm = 'Create a new webhook secret? The old one stops signing messages.';
  const renew = button(visit, `${path}/new-secret`, 'Create a new secret', { confirm });
  const rows = await listDeliveries<Message>(deps.db, project.project_id, SHOWN);
  return html`<h2>Messages</h2>
<p class="hint">At most ${MAX_MESSAGES_A_DAY} in 24 hours. Failed messages are retried for about six hours; each attempt is counted.</p>
<div class="actions">${button(visit, `${path}/test`, 'Send a test message')}${watch.webhook_url !== null && renew}</div>${table(
    'Messages',
    rows,
    html``,
    {
      Message: ({ message }) =>
        'kind' in message
          ? `${MESSAGE_NAMES[message.type]}: ${alertOf(message.kind).name}`
          : MESSAGE_NAMES[message.type],
      To: ({ channel }) => CHANNELS[channel].name,
      State: ({ state }) => badge(...STATES[state]),
      Attempts: ({ attempts }) => attempts,
      When: ({ tried_at, made_at }) => time(tried_at ?? made_at),
      Problem: ({ error }) => error ?? undefined,
    },
  )}`;
}
