import { Option, type Command } from 'commander';
import { inviteUser } from '../../accounts/invitations.js';
import { ROLES, type Role } from '../../accounts/roles.js';
import { DEMO_CONSOLE_PORT, defaultConsoleUrl } from '../../platform/settings/console-settings.js';
import { onCommandLine } from '../../accounts/actor.js';
import { changeUser, removeUser } from '../../accounts/users.js';
import { listUsers } from '../../accounts/store/users.js';
import { OperatorError } from '../../base/errors.js';
import { requireProject, withDatabase } from '../shared/command-database.js';
import { explainOptionError } from '../shared/describe-failure.js';
import { print, table, type CommandContext } from '../shared/context.js';

const SWITCH = ['on', 'off'] as const;
type Switch = (typeof SWITCH)[number];

export function addUserCommands(program: Command, context: CommandContext): void {
  const user = program.command('user');

  user
    .command('invite')
    .description('print a link that works once, with which somebody sets a password; of a lost one, too')
    .requiredOption('--email <address>')
    .addOption(
      new Option('--role <role>', 'viewer sees, editor changes pages, admin keys and members too')
        .choices(ROLES)
        .makeOptionMandatory(),
    )
    .option('--project <id|name>', 'in this project; in all of them, if not given')
    .option('--json', 'one JSON value on stdout')
    .action((options: { email: string; role: Role; project?: string; json?: boolean }) =>
      withDatabase(context, async ({ db, config }) => {
        const base = config.consoleUrl ?? defaultConsoleUrl(config.consolePort ?? DEMO_CONSOLE_PORT);
        const project = options.project === undefined ? undefined : await requireProject(db, options.project);
        const { email, role } = options;
        const made = await inviteUser(db, onCommandLine(), { email, role, project }).catch(explainOptionError);
        const url = `${base}/invitation/${made.secret}`;
        print(context, options, { url }, () => `${url}\n\nIt works once, until ${made.expiresAt.toISOString()}.`);
      }),
    );

  user
    .command('list')
    .description('all users, 10,000 at most')
    .option('--json', 'one JSON value on stdout')
    .action((options: { json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const users = (await listUsers(db)).map((one) => ({
          email: one.email,
          role: one.role,
          projects: one.projects,
          last_login_at: one.last_login_at?.toISOString() ?? null,
          single_sign_on: one.single_sign_on,
          password_login: one.password_login === true,
          disabled: one.disabled_at !== null,
        }));
        print(context, options, users, () =>
          table([
            ['E-MAIL', 'ROLE OVER ALL', 'PROJECTS', 'LAST LOGIN', ''],
            ...users.map((one) => [
              one.email,
              one.role ?? '',
              String(one.projects),
              one.last_login_at ?? 'never',
              one.disabled ? 'disabled' : '',
            ]),
          ]),
        );
      }),
    );

  user
    .command('update')
    .description('disable or enable a user, or allow a password where single sign-on is required')
    .requiredOption('--email <address>')
    .addOption(
      new Option('--disabled <on|off>', 'on: the sessions end at once, and the user cannot log in').choices(SWITCH),
    )
    .addOption(
      new Option('--password-login <on|off>', 'on: the password works even if CONSOLE_PASSWORD_LOGIN is off').choices(
        SWITCH,
      ),
    )
    .option('--json', 'one JSON value on stdout')
    .action((options: { email: string; disabled?: Switch; passwordLogin?: Switch; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const email = options.email.trim().toLowerCase();
        const { disabled, passwordLogin } = options;
        if (disabled === undefined && passwordLogin === undefined)
          throw new OperatorError('Nothing to change: give --disabled or --password-login.');
        const changes = {
          disabled: disabled && disabled === 'on',
          passwordLogin: passwordLogin && passwordLogin === 'on',
        };
        if (!(await changeUser(db, onCommandLine(), email, changes))) throw noSuchUser(email);
        print(context, options, { email, updated: true }, () => `User ${email} updated.`);
      }),
    );

  user
    .command('delete')
    .description('delete a user; the sessions end at once, the audit log stays')
    .requiredOption('--email <address>')
    .option('--json', 'one JSON value on stdout')
    .action((options: { email: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const email = options.email.trim().toLowerCase();
        if (!(await removeUser(db, onCommandLine(), email))) throw noSuchUser(email);
        print(context, options, { email, deleted: true }, () => `User ${email} deleted.`);
      }),
    );
}

function noSuchUser(email: string): OperatorError {
  return new OperatorError(`There is no user ${JSON.stringify(email)}; \`user list\` shows all.`);
}
