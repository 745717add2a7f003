import {
  findWatch,
  listAlerts,
  listDeliveries,
  type AlertRow,
  type DeliveryRow,
  type WatchRow,
} from '../watch/store/watches.js';
import { html, type Html } from '../text/html.js';
import { ALERT_KINDS, alertOf, MESSAGE_NAMES, type AlertKind, type Cause, type Message } from '../watch/alert.js';
import { CHANNELS, CHANNEL_NAMES, NO_RECEIVERS, type ChannelName } from '../watch/channels.js';
import { changeWatch, testWatch } from '../watch/change-watch.js';
import { MAX_MESSAGES_A_DAY } from '../watch/send-alerts.js';
import { badge, button, checkbox, empty, field, form, table, time, type Tone } from './shared/components.js';
import { projectPage, recordChange, type Action, type Done, type ProjectVisit } from './shared/console-page.js';

const SHOWN = 50;
const STATES: Readonly<Record<DeliveryRow['state'], [string, Tone]>> = {
  waiting: ['Waiting', 'waiting'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
};

/** What is wrong now, and who is notified. */
export const watchPage = projectPage({
  path: '/p/:project/watch',
  nav: 'Watch',
  show: async (visit) => {
    const { deps, project } = visit;
    const [alerts, watch] = await Promise.all([
      listAlerts<Cause>(deps.db, project.project_id, SHOWN),
      findWatch(deps.db, project.project_id),
    ]);
    return {
      title: 'Watch',
      content: html`${alertSection(alerts, watch)}${
        visit.may('admin')
          ? html`${settingsSection(visit, watch)}${await deliverySection(visit, watch)}`
          : html`<p class="hint">Only admins of the project see who is notified.</p>`
      }`,
    };
  },
  actions: {
    save: { role: 'admin', run: save },
    'new-secret': {
      role: 'admin',
      run: async (visit) => {
        const { secret } = await change(visit, { newSecret: true }, 'webhook secret renewed');
        return done(
          visit,
          'The old secret no longer signs messages. Copy the new one now: it is shown only once.',
          secret,
        );
      },
    },
    test: {
      role: 'admin',
      run: async (visit) => {
        await testWatch(visit.deps, visit.project.project_id);
        return done(visit, 'A test message is on its way. Reload this page to see whether it arrived.');
      },
    },
  } satisfies Record<string, Action<ProjectVisit>>,
});

async function save(visit: ProjectVisit, given: Parameters<Action<ProjectVisit>['run']>[1]): Promise<Done> {
  const addressesOf = (name: ChannelName): string[] => {
    const { column, field } = CHANNELS[name];
    const text = (given.get(column) ?? '').trim();
    return (field.several ? text.split(/[\s,;]+/) : [text]).filter((one) => one !== '');
  };
  const { secret } = await change(
    visit,
    {
      told: Object.fromEntries(CHANNEL_NAMES.map((name) => [name, addressesOf(name)])),
      alerts: ALERT_KINDS.filter((kind) => given.all('alerts').includes(kind)),
      digest: given.get('digest') === 'on',
    },
    'watch changed',
  );
  const shown = secret === undefined ? '' : ' Copy the webhook secret now: it is shown only once.';
  return done(visit, `Saved.${shown}`, secret);
}

async function change(
  visit: ProjectVisit,
  wanted: Parameters<typeof changeWatch>[2],
  action: string,
): Promise<{ secret: string | undefined }> {
  const { deps, project } = visit;
  return changeWatch(deps, project.project_id, wanted, deps, (trx) => recordChange(visit, action, project.name, trx));
}

function done({ own }: ProjectVisit, text: string, secret?: string): Done {
  return { to: own('/watch'), text, ...(secret !== undefined && { secret }) };
}

function alertSection(alerts: readonly AlertRow<Cause>[], watch: WatchRow | undefined): Html {
  return table(
    'Alerts',
    ['Alert', 'Details', 'Started', 'Ended'],
    alerts.map(({ kind, cause, began_at, ended_at }) => [
      alertOf(kind as AlertKind).name,
      html`<span class="url">${alertOf(kind as AlertKind).describe(cause)}</span>`,
      time(began_at),
      ended_at === null ? badge('Ongoing', 'bad') : time(ended_at),
    ]),
    empty(
      'No alerts.',
      watch
        ? 'Alerts are listed here when they start and when they end.'
        : 'Alerts are not set up for this project yet. Admins set them up below.',
    ),
  );
}

function settingsSection(visit: ProjectVisit, watch: WatchRow | undefined): Html {
  const isOn = (kind: AlertKind): boolean =>
    visit.given?.all('alerts').includes(kind) ?? watch?.alerts.includes(kind) ?? true;
  return html`<h2 id="tell">Notifications</h2>
${form(
  visit,
  visit.own('/watch/save'),
  html`${CHANNEL_NAMES.map((name) => channelField(visit, name, watch))}
<fieldset><legend>Alerts</legend>${ALERT_KINDS.map((kind) => checkbox('alerts', alertOf(kind).name, isOn(kind), kind))}</fieldset>
<fieldset><legend>Digest</legend>${checkbox('digest', 'Every Monday: what was missed, what was recovered, what to do', visit.given ? visit.given.get('digest') === 'on' : (watch?.digest ?? true))}</fieldset>
<button class="button primary">Save</button>`,
  'form card',
)}`;
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
  const path = visit.own('/watch');
  const rows = await listDeliveries<Message>(deps.db, project.project_id, SHOWN);
  return html`<h2>Messages</h2>
<p class="hint">At most ${MAX_MESSAGES_A_DAY} in 24 hours. Failed messages are retried for about six hours.</p>
<div class="actions">${button(visit, `${path}/test`, 'Send a test message')}${
    watch.webhook_url === null
      ? undefined
      : button(visit, `${path}/new-secret`, 'Create a new secret', {
          confirm: 'Create a new webhook secret? The old one stops signing messages.',
        })
  }</div>${table(
    'Messages',
    ['Message', 'To', 'State', 'Attempts', 'When', 'Problem'],
    rows.map(({ message, channel, state, attempts, tried_at, made_at, error }) => [
      'kind' in message ? `${MESSAGE_NAMES[message.type]}: ${alertOf(message.kind).name}` : MESSAGE_NAMES[message.type],
      CHANNELS[channel].name,
      badge(...STATES[state]),
      attempts,
      time(tried_at ?? made_at),
      error ?? undefined,
    ]),
    html``,
  )}`;
}
