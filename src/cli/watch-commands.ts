import { Option, type Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { findWatch, listAlerts, listDeliveries } from '../watch/store/watches.js';
import { OperatorError } from '../base/errors.js';
import { ALERT_KINDS, alertOf, type AlertKind, type Cause, type Message } from '../watch/alert.js';
import { changeWatch, testWatch } from '../watch/change-watch.js';
import { onCommandLine, recordChange } from '../accounts/actor.js';
import { table, type CommandContext } from './shared/context.js';
import { projectCommand } from './shared/project-command.js';

interface SetOptions {
  /** False: --no-email, --no-webhook. */
  email?: string[] | false;
  webhook?: string | false;
  newSecret?: boolean;
  alerts?: AlertKind[];
  digest?: 'on' | 'off';
}

const SHOWN = 20;

export function addWatchCommands(program: Command, context: CommandContext): void {
  const watch = program.command('watch');
  addShow(watch, context);
  addSet(watch, context);
  projectCommand(watch, context, 'test', {
    description: 'send a test; `watch show` says what became of it',
    run: async ({ db, queue, alone, projectId, say }) => {
      const deps = { db, queue: await queue(), clock: systemClock };
      const queued = await testWatch(deps, projectId);
      const when = alone ? ' It is sent when a server runs.' : '';
      say({ queued }, () => `A test is queued for ${queued} of: e-mail, webhook.${when}`);
    },
  });
}

function addShow(watch: Command, context: CommandContext): void {
  projectCommand(watch, context, 'show', {
    description: 'who is told of what, what is wrong now, and the last messages',
    run: async ({ db, projectId, say }) => {
      const found = await findWatch(db, projectId);
      const alerts = await listAlerts<Cause>(db, projectId, SHOWN);
      const deliveries = await listDeliveries<Message>(db, projectId, SHOWN);
      const { emails = [], webhook_url = null, digest = false } = found ?? {};
      const value = {
        emails,
        webhook_url,
        watched_for: found?.alerts ?? [],
        digest,
        alerts,
        deliveries: deliveries.map(({ message, ...rest }) => ({ type: message.type, ...rest })),
      };
      say(value, () =>
        [
          table([
            ['e-mail', emails.join(', ') || 'nobody'],
            ['webhook', webhook_url ?? 'none'],
            ['watched for', value.watched_for.join(', ') || 'nothing'],
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
    description: 'change who is told of what; what is not named stays as it is',
    takes: (command) =>
      command
        .option('--email <address...>', 'in place of those before, 10 at most')
        .option('--no-email', 'nobody by e-mail')
        .option('--webhook <url>', 'gets a signed POST for every message; prints its secret, once')
        .option('--no-webhook', 'no webhook')
        .option('--new-secret', 'a new secret for the webhook; the old one is void at once')
        .addOption(new Option('--alerts <kind...>', 'in place of those before').choices(ALERT_KINDS))
        .addOption(new Option('--digest <switch>', 'a mail and webhook every Monday').choices(['on', 'off'])),
    run: async ({ db, config, options, project, say }) => {
      const { email, webhook, newSecret, alerts, digest } = options;
      const change = {
        ...(email !== undefined && { emails: email === false ? [] : email }),
        ...(webhook !== undefined && { webhookUrl: webhook === false ? null : webhook }),
        ...(newSecret !== undefined && { newSecret }),
        ...(alerts && { alerts }),
        ...(digest && { digest: digest === 'on' }),
      };
      if (Object.keys(change).length === 0)
        throw new OperatorError(
          'Nothing to change: give --email, --no-email, --webhook, --no-webhook, --new-secret, --alerts or --digest.',
        );
      const deps = { db, clock: systemClock };
      const channels = { webhookNetworks: config.webhookNetworks, sendsMail: config.mail !== undefined };
      const { secret } = await changeWatch(deps, project.project_id, change, channels, (trx) =>
        recordChange(trx, onCommandLine(), project, 'watch changed', project.name),
      );
      say({ changed: true, ...(secret !== undefined && { secret }) }, () =>
        secret === undefined ? 'Changed.' : `Changed. The webhook's secret, shown this once:\n${secret}`,
      );
    },
  });
}
