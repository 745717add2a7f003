import { systemClock } from '../../base/clock.js';
import { COMMAND_LINE } from '../../accounts/actor.js';
import type { ProjectRow } from '../../projects/store/projects.js';
import { ApiError, OperatorError } from '../../base/errors.js';
import { commandIndexChanges, waitUntilVisible } from '../../projects/index-changes.js';
import type { RuleDeps } from '../../rules/rule.js';
import { requireProject, withDatabase, type CommandDatabase } from '../shared/command-database.js';
import type { CommandContext } from '../shared/context.js';

export interface RuleOptions {
  project: string;
  json?: boolean;
}

export interface RuleCommand {
  deps: RuleDeps;
  project: ProjectRow;
  projectId: string;
  database: CommandDatabase;
}

/** What the history says of who changed something. */
export const BY_OPTION = ['--by <name>', 'who, for the history', COMMAND_LINE] as const;

/**
 * Runs a command on a project's rules; at its end every process answers by what it changed.
 * @throws OperatorError also in place of an ApiError: nobody called an API
 */
export async function withRules(
  context: CommandContext,
  options: RuleOptions,
  work: (command: RuleCommand) => Promise<void>,
): Promise<void> {
  await withDatabase(context, async (database) => {
    const { db, tenants } = database;
    const project = await requireProject(db, options.project);
    const { project_id: projectId } = project;
    const deps = { db, tenants, clock: systemClock, indexChanges: commandIndexChanges };
    try {
      await work({ deps, project, projectId, database });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A command makes one change.
      throw new OperatorError(error.message.replaceAll('changes.0.', ''), { cause: error });
    }
    await waitUntilVisible();
  });
}
