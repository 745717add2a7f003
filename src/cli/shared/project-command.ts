import { Option, type Command } from 'commander';
import type { ProjectRow } from '../../projects/store/projects.js';
import { requireProject, withDatabase, type CommandDatabase } from './command-database.js';
import { print, type CommandContext } from './context.js';
import { explainOptionError } from './describe-failure.js';

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
