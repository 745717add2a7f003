import { Option, type Command } from 'commander';
import type { ProjectRow } from '../../projects/store/projects.js';
import { requireProject, withDatabase, type CommandDatabase } from './command-database.js';
import { print, type CommandContext } from './context.js';
import { explainOptionError } from './describe-failure.js';
import { OperatorError } from '../../base/errors.js';

/** The database, the options and the output of a command while it runs. */
export interface CommandRun<Options> extends CommandDatabase {
  context: CommandContext;
  options: Options & { json?: boolean };
  /** The arguments on the command line, without the options. */
  args: readonly string[];
  /** Prints one JSON value for programs, or lines for people. */
  say: (value: unknown, lines: () => string) => void;
}

/** The run of a command on one project. */
export interface ProjectRun<Options> extends CommandRun<Options> {
  project: ProjectRow;
  projectId: string;
}

export interface DeclaredCommand<Run> {
  description: string;
  /** Adds the arguments of the command, and its options except --project and --json. */
  takes?: (command: Command) => Command;
  run: (run: Run) => Promise<void>;
  /** Whether the command makes sense on an empty database. */
  makes?: boolean;
}

/** Makes an option that is on or off. */
export function switchOption(flags: string, about: string): Option {
  return new Option(flags, about).choices(['on', 'off']);
}

/** Declares a command: its options are read, and the database is opened. */
export function databaseCommand<Options = object>(
  group: Command,
  context: CommandContext,
  name: string,
  { description, takes = (command) => command, run, makes = false }: DeclaredCommand<CommandRun<Options>>,
): Command {
  const declared = group.command(name).description(description);
  const command = takes(declared).option('--json', 'one JSON value on stdout');
  const work = async (database: CommandDatabase): Promise<void> => {
    const options = command.opts<Options & { json?: boolean }>();
    const say = (value: unknown, lines: () => string): void => print(context, options, value, lines);
    await run({ ...database, context, options, args: command.args, say }).catch(explainOptionError);
  };
  return command.action(() => withDatabase(context, work, { makes }));
}

/** Declares a command on a project, which is looked up by --project. */
export function projectCommand<Options = object>(
  group: Command,
  context: CommandContext,
  name: string,
  { takes = (command) => command, run, ...declared }: DeclaredCommand<ProjectRun<Options>>,
): Command {
  return databaseCommand<Options & { project: string }>(group, context, name, {
    ...declared,
    takes: (command) => takes(command.requiredOption('--project <id|name>')),
    run: async (commandRun) => {
      const project = await requireProject(commandRun.db, commandRun.options.project);
      await run({ ...commandRun, project, projectId: project.project_id });
    },
  });
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts a duration such as `90d`, `12h`, `30m` or `45s` to milliseconds. */
export function parseDuration(text: string, option: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined || Number(amount) === 0)
    throw new OperatorError(`${option} must be a number with d, h, m or s, such as 90d; not ${JSON.stringify(text)}.`);
  return Number(amount) * (UNITS[unit] ?? 0);
}
