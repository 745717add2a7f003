import { Option, type Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { findWatch, listAlerts, listDeliveries } from '../watch/store/watches.js';
import { OperatorError } from '../base/errors.js';
import { ALERT_KINDS, alertOf, type AlertKind, type Cause, type Message } from '../watch/alert.js';
import { CHANNELS, CHANNEL_NAMES, NO_RECEIVERS, type ChannelName } from '../watch/channels.js';
import { changeWatch, testWatch } from '../watch/change-watch.js';
import { onCommandLine, recordChange } from '../accounts/actor.js';
import { table, type CommandContext } from './shared/context.js';
import { projectCommand, switchOption } from './shared/project-command.js';

/** The options of `watch set`. A channel is false after --no-email or --no-webhook. */
interface SetOptions extends Partial<Record<ChannelName, string | string[] | false>> {
  newSecret?: boolean;
  alerts?: AlertKind[];
  digest?: 'on' | 'off';
}

const SHOWN = 20;
const ALL = Object.values(CHANNELS);

export function addWatchCommands(program: Command, context: CommandContext): void {
  const watch = program.command('watch');
  addShow(watch, context);
  addSet(watch, context);
  projectCommand(watch, context, 'test', {
    description: 'send a test message; `watch show` lists its delivery',
    run: async ({ db, queue, alone, projectId, say }) => {
      const deps = { db, queue: await queue(), clock: systemClock };
      const queued = await testWatch(deps, projectId);
      const when = alone ? ' It is sent when a server runs.' : '';
      say(
        { queued },
        () => `A test is queued for ${queued} of: ${ALL.map(({ name }) => name.toLowerCase()).join(', ')}.${when}`,
      );
    },
  });
}

function addShow(watch: Command, context: CommandContext): void {
  projectCommand(watch, context, 'show', {
    description: 'list the receivers, the open alerts and the last messages',
    run: async ({ db, projectId, say }) => {
      const stored = await findWatch(db, projectId);
      const alerts = await listAlerts<Cause>(db, projectId, SHOWN);
      const deliveries = await listDeliveries<Message>(db, projectId, SHOWN);
      const { alerts: watched_for, digest, ...receivers } = stored ?? { ...NO_RECEIVERS, alerts: [], digest: false };
      const value = {
        ...Object.fromEntries(ALL.map(({ column }) => [column, receivers[column]])),
        watched_for,
        digest,
        alerts,
        deliveries: deliveries.map(({ message, ...rest }) => ({ type: message.type, ...rest })),
      };
      say(value, () =>
        [
          table([
            ...ALL.map(({ name, nobody, addressesIn }) => [
              name.toLowerCase(),
              addressesIn(receivers).join(', ') || nobody,
            ]),
            ['watched for', watched_for.join(', ') || 'nothing'],
            ['digest', digest ? 'on' : 'off'],
          ]),
          ...alerts.map(
            ({ kind, cause, began_at, ended_at }) =>
              `${began_at.toISOString()} ${ended_at ? 'over' : 'NOW '} ${kind}: ${alertOf(kind as AlertKind).describe(cause)}`,
          ),
          ...value.deliveries.map(
            ({ type, channel, state, attempts, error, made_at }) =>
              `${made_at.toISOString()} ${type} to ${channel}: ${state} after ${attempts} attempts${error === null ? '' : `: ${error}`}`,
          ),
        ].join('\n'),
      );
    },
  });
}

function addSet(watch: Command, context: CommandContext): void {
  projectCommand<SetOptions>(watch, context, 'set', {
    description: 'change receivers and alerts; other options stay unchanged',
    takes: (command) =>
      CHANNEL_NAMES.reduce((all, name) => {
        const { takes, does, no } = CHANNELS[name].option;
        return all.option(`--${name} ${takes}`, does).option(`--no-${name}`, no);
      }, command)
        .option('--new-secret', 'a new secret for the webhook; the old one is void at once')
        .addOption(new Option('--alerts <kind...>', 'in place of those before').choices(ALERT_KINDS))
        .addOption(switchOption('--digest <switch>', 'a mail and webhook every Monday')),
    run: async ({ db, config, options, project, say }) => {
      const { newSecret, alerts, digest } = options;
      const addresses = CHANNEL_NAMES.flatMap((name) => {
        const option = options[name];
        return option === undefined ? [] : [[name, option === false ? [] : [option].flat()] as const];
      });
      const change = {
        ...(addresses.length > 0 && { addresses: Object.fromEntries(addresses) }),
        ...(newSecret !== undefined && { newSecret }),
        ...(alerts && { alerts }),
        ...(digest && { digest: digest === 'on' }),
      };
      if (Object.keys(change).length === 0)
        throw new OperatorError(
          `Nothing to change: give ${CHANNEL_NAMES.map((name) => `--${name}, --no-${name}`).join(', ')}, --new-secret, --alerts or --digest.`,
        );
      const deps = { db, clock: systemClock };
      const sending = { webhookNetworks: config.webhookNetworks, sendsMail: config.mail !== undefined };
      const { secret } = await changeWatch(deps, project.project_id, change, sending, (trx) =>
        recordChange(trx, onCommandLine(), project, 'watch changed', project.name),
      );
      say({ changed: true, ...(secret !== undefined && { secret }) }, () =>
        secret === undefined ? 'Changed.' : `Changed. The webhook's secret, shown this once:\n${secret}`,
      );
    },
  });
}
