import type { Command } from 'commander';
import type { ProjectRow } from '../../projects/store/projects.js';
import { requireProject, withDatabase, type CommandDatabase } from './command-database.js';
import { print, type CommandContext } from './context.js';
import { explainOptionError } from './describe-failure.js';

/** What a command on a project works with. */
export interface ProjectRun<Options> extends CommandDatabase {
  context: CommandContext;
  options: Options & { json?: boolean };
  /** What stands on the command line beside the options. */
  args: readonly string[];
  project: ProjectRow;
  projectId: string;
  /** Prints one JSON value for programs, or lines for people. */
  say: (value: unknown, lines: () => string) => void;
}

export interface ProjectCommand<Run> {
  description: string;
  /** Adds its arguments, and its options beside --project and --json. */
  takes?: (command: Command) => Command;
  run: (run: Run) => Promise<void>;
}

/** Declares a command on a project: its options are read, the database is opened, the project is found. */
export function projectCommand<Options = object>(
  group: Command,
  context: CommandContext,
  name: string,
  { description, takes = (one) => one, run }: ProjectCommand<ProjectRun<Options>>,
): Command {
  const declared = group.command(name).description(description).requiredOption('--project <id|name>');
  const command = takes(declared).option('--json', 'one JSON value on stdout');
  return command.action(() =>
    withDatabase(context, async (database) => {
      const options = command.opts<Options & { project: string; json?: boolean }>();
      const project = await requireProject(database.db, options.project);
      const { args } = command;
      const say = (value: unknown, lines: () => string): void => {
        print(context, options, value, lines);
      };
      const projectId = project.project_id;
      await run({ ...database, context, options, args, project, projectId, say }).catch(explainOptionError);
    }),
  );
}
