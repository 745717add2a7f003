import { Option, type Command } from 'commander';
import { inviteUser } from '../../accounts/invitations.js';
import { ROLES, type Role } from '../../accounts/roles.js';
import { DEMO_CONSOLE_PORT, defaultConsoleUrl } from '../../platform/settings/console-settings.js';
import { onCommandLine } from '../../accounts/actor.js';
import { changeUser, removeUser } from '../../accounts/users.js';
import { listUsers } from '../../accounts/store/users.js';
import { OperatorError } from '../../base/errors.js';
import { requireProject } from '../shared/command-database.js';
import { table, type CommandContext } from '../shared/context.js';
import { databaseCommand, switchOption } from '../shared/project-command.js';

type Switch = 'on' | 'off';

export function addUserCommands(program: Command, context: CommandContext): void {
  const group = program.command('user');

  databaseCommand<{ email: string; role: Role; project?: string }>(group, context, 'invite', {
    description: 'print a link that works once, with which somebody sets a password; of a lost one, too',
    takes: (command) =>
      command
        .requiredOption('--email <address>')
        .addOption(
          new Option('--role <role>', 'viewer sees, editor changes pages, admin keys and members too')
            .choices(ROLES)
            .makeOptionMandatory(),
        )
        .option('--project <id|name>', 'in this project; in all of them, if not given'),
    run: async ({ db, config, options, say }) => {
      const base = config.consoleUrl ?? defaultConsoleUrl(config.consolePort ?? DEMO_CONSOLE_PORT);
      const project = options.project === undefined ? undefined : await requireProject(db, options.project);
      const { email, role } = options;
      const made = await inviteUser(db, onCommandLine(), { email, role, project });
      const url = `${base}/invitation/${made.secret}`;
      say({ url }, () => `${url}\n\nIt works once, until ${made.expiresAt.toISOString()}.`);
    },
  });

  databaseCommand(group, context, 'list', {
    description: 'all users, 10,000 at most',
    run: async ({ db, say }) => {
      const users = (await listUsers(db)).map((user) => ({
        email: user.email,
        role: user.role,
        projects: user.projects,
        last_login_at: user.last_login_at?.toISOString() ?? null,
        single_sign_on: user.single_sign_on,
        password_login: user.password_login === true,
        disabled: user.disabled_at !== null,
      }));
      say(users, () =>
        table([
          ['E-MAIL', 'ROLE OVER ALL', 'PROJECTS', 'LAST LOGIN', ''],
          ...users.map((user) => [
            user.email,
            user.role ?? '',
            String(user.projects),
            user.last_login_at ?? 'never',
            user.disabled ? 'disabled' : '',
          ]),
        ]),
      );
    },
  });

  databaseCommand<{ email: string; disabled?: Switch; passwordLogin?: Switch }>(group, context, 'update', {
    description: 'disable or enable a user, or allow a password where single sign-on is required',
    takes: (command) =>
      command
        .requiredOption('--email <address>')
        .addOption(switchOption('--disabled <on|off>', 'on: the sessions end at once, and the user cannot log in'))
        .addOption(
          switchOption('--password-login <on|off>', 'on: the password works even if CONSOLE_PASSWORD_LOGIN is off'),
        ),
    run: async ({ db, options, say }) => {
      const email = options.email.trim().toLowerCase();
      const { disabled, passwordLogin } = options;
      if (disabled === undefined && passwordLogin === undefined)
        throw new OperatorError('Nothing to change: give --disabled or --password-login.');
      const changes = {
        disabled: disabled && disabled === 'on',
        passwordLogin: passwordLogin && passwordLogin === 'on',
      };
      if (!(await changeUser(db, onCommandLine(), email, changes))) throw noSuchUser(email);
      say({ email, updated: true }, () => `User ${email} updated.`);
    },
  });

  databaseCommand<{ email: string }>(group, context, 'delete', {
    description: 'delete a user; the sessions end at once, the audit log stays',
    takes: (command) => command.requiredOption('--email <address>'),
    run: async ({ db, options, say }) => {
      const email = options.email.trim().toLowerCase();
      if (!(await removeUser(db, onCommandLine(), email))) throw noSuchUser(email);
      say({ email, deleted: true }, () => `User ${email} deleted.`);
    },
  });
}

function noSuchUser(email: string): OperatorError {
  return new OperatorError(`There is no user ${JSON.stringify(email)}; \`user list\` shows all.`);
}
