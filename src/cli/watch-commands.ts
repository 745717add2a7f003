import { Option, type Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { findWatch, listAlerts, listDeliveries } from '../watch/store/watches.js';
import { OperatorError } from '../base/errors.js';
import { ALERT_KINDS, describeCause, type AlertKind, type Cause, type Message } from '../watch/alert.js';
import { changeWatch, testWatch } from '../watch/change-watch.js';
import { requireProject, withDatabase } from './shared/command-database.js';
import { sayOption } from './shared/say-option.js';
import { onCommandLine, recordChange } from '../accounts/actor.js';
import { print, table, type CommandContext } from './shared/context.js';

interface SetOptions {
  project: string;
  /** False: --no-email, --no-webhook. */
  email?: string[] | false;
  webhook?: string | false;
  newSecret?: boolean;
  alerts?: AlertKind[];
  digest?: 'on' | 'off';
  json?: boolean;
}

const SHOWN = 20;

export function addWatchCommands(program: Command, context: CommandContext): void {
  const watch = program.command('watch');
  addShow(watch, context);
  addSet(watch, context);
  watch
    .command('test')
    .description('send a test; `watch show` says what became of it')
    .requiredOption('--project <id|name>')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; json?: boolean }) =>
      withDatabase(context, async ({ db, queue, alone }) => {
        const { project_id } = await requireProject(db, options.project);
        const deps = { db, queue: await queue(), clock: systemClock };
        const queued = await testWatch(deps, project_id).catch(sayOption);
        const when = alone ? ' It is sent when a server runs.' : '';
        print(context, options, { queued }, () => `A test is queued for ${queued} of: e-mail, webhook.${when}`);
      }),
    );
}

function addShow(watch: Command, context: CommandContext): void {
  watch
    .command('show')
    .description('who is told of what, what is wrong now, and the last messages')
    .requiredOption('--project <id|name>')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const { project_id } = await requireProject(db, options.project);
        const found = await findWatch(db, project_id);
        const alerts = await listAlerts<Cause>(db, project_id, SHOWN);
        const deliveries = await listDeliveries<Message>(db, project_id, SHOWN);
        const { emails = [], webhook_url = null, digest = false } = found ?? {};
        const value = {
          emails,
          webhook_url,
          watched_for: found?.alerts ?? [],
          digest,
          alerts,
          deliveries: deliveries.map(({ message, ...rest }) => ({ type: message.type, ...rest })),
        };
        print(context, options, value, () =>
          [
            table([
              ['e-mail', emails.join(', ') || 'nobody'],
              ['webhook', webhook_url ?? 'none'],
              ['watched for', value.watched_for.join(', ') || 'nothing'],
              ['digest', digest ? 'on' : 'off'],
            ]),
            ...alerts.map(
              ({ kind, cause, began_at, ended_at }) =>
                `${began_at.toISOString()} ${ended_at ? 'over' : 'NOW '} ${kind}: ${describeCause(kind as AlertKind, cause)}`,
            ),
            ...value.deliveries.map(
              ({ type, channel, state, attempts, error, made_at }) =>
                `${made_at.toISOString()} ${type} to ${channel}: ${state} after ${attempts} attempts${error === null ? '' : `: ${error}`}`,
            ),
          ].join('\n'),
        );
      }),
    );
}

function addSet(watch: Command, context: CommandContext): void {
  watch
    .command('set')
    .description('change who is told of what; what is not named stays as it is')
    .requiredOption('--project <id|name>')
    .option('--email <address...>', 'in place of those before, 10 at most')
    .option('--no-email', 'nobody by e-mail')
    .option('--webhook <url>', 'gets a signed POST for every message; prints its secret, once')
    .option('--no-webhook', 'no webhook')
    .option('--new-secret', 'a new secret for the webhook; the old one is void at once')
    .addOption(new Option('--alerts <kind...>', 'in place of those before').choices(ALERT_KINDS))
    .addOption(new Option('--digest <switch>', 'a mail and webhook every Monday').choices(['on', 'off']))
    .option('--json', 'one JSON value on stdout')
    .action((options: SetOptions) =>
      withDatabase(context, async ({ db, config }) => {
        const project = await requireProject(db, options.project);
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
        ).catch(sayOption);
        print(context, options, { changed: true, ...(secret !== undefined && { secret }) }, () =>
          secret === undefined ? 'Changed.' : `Changed. The webhook's secret, shown this once:\n${secret}`,
        );
      }),
    );
}
