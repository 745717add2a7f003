import { Option, type Command } from 'commander';
import { inTransaction, sqlState } from '../database/session/connect.js';
import { deleteProjectHistory } from '../database/queries/history-rows.js';
import { countPagesByStatus } from '../database/queries/page-status.js';
import {
  deleteProjectRow,
  insertProject,
  listProjects,
  lockProject,
  updateProject,
  type ProjectRow,
  type ProjectChange,
} from '../database/queries/projects.js';
import { OperatorError } from '../errors.js';
import { reindexAll } from '../pages/reindex-all.js';
import { print, requireProject, table, withDatabase, type CommandContext } from './context.js';
import { addWeightsCommand } from './weights-command.js';
import { NO_RATES, pickRates, planChange, ratesFrom, withRates, type RateOptions } from './project-rates.js';

interface UpdateOptions extends RateOptions {
  project: string;
  name?: string;
  access?: 'open' | 'restricted';
  titleEvidence?: 'on' | 'off';
  json?: boolean;
}

export function addProjectCommands(program: Command, context: CommandContext): void {
  const project = program.command('project').description('projects: the tenants, one per site');

  withRates(project.command('create').description('make a project'))
    .requiredOption('--name <name>', 'unique name, 1 to 200 characters')
    .option('--json', 'one JSON value on stdout')
    .action((options: RateOptions & { name: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const name = checkName(options.name);
        const plan = options.plan ?? 'hacker';
        const chosen = plan === 'none' ? null : plan;
        const made = await insertProject(db, {
          name,
          plan: chosen,
          ...(chosen === null ? NO_RATES : ratesFrom(chosen, options)),
        });
        if (!made) throw nameTaken(name);
        const value = { id: made.project_id, name: made.name, plan: made.plan };
        print(context, options, value, () => `Project ${value.name} made: ${value.id}, plan ${value.plan ?? 'none'}`);
      }),
    );

  project
    .command('show')
    .description('a project with the number of its pages by status')
    .requiredOption('--project <id|name>')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const row = await requireProject(db, options.project);
        const value = { ...describe(row), pages: await countPagesByStatus(db, row.project_id) };
        print(context, options, value, () =>
          table([
            ['id', value.id],
            ['name', value.name],
            ['plan', value.plan ?? 'none'],
            ['access', value.access],
            ['titles searched', value.title_evidence ? 'yes' : 'no'],
            ...Object.entries(value.pages).map(([status, pages]) => [status, String(pages)]),
          ]),
        );
      }),
    );

  project
    .command('list')
    .description('all projects')
    .option('--json', 'one JSON value on stdout')
    .action((options: { json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const projects = (await listProjects(db)).map(describe);
        print(context, options, projects, () =>
          table([
            ['ID', 'NAME', 'PLAN', 'ACCESS'],
            ...projects.map((one) => [one.id, one.name, one.plan ?? 'none', one.access]),
          ]),
        );
      }),
    );

  withRates(project.command('update').description('change name, plan, rates or access of a project'))
    .requiredOption('--project <id|name>')
    .option('--name <name>', 'new name')
    .addOption(
      new Option('--access <access>', 'restricted: every request is answered 403').choices(['open', 'restricted']),
    )
    .addOption(
      new Option(
        '--title-evidence <switch>',
        'on: a page is searched by its title too; indexes all pages again',
      ).choices(['on', 'off']),
    )
    .option('--json', 'one JSON value on stdout')
    .action((options: UpdateOptions) =>
      withDatabase(context, async ({ db, queue }) => {
        const before = await requireProject(db, options.project);
        const change = changeOf(before, options);
        const reindexes = change.title_evidence !== undefined && change.title_evidence !== before.title_evidence;
        const jobs = reindexes ? await queue() : undefined;
        const { after, queued } = await inTransaction(db, async (trx) => ({
          after: await updateProject(trx, before.project_id, change),
          queued: jobs ? await reindexAll(trx, jobs, before.project_id) : 0,
        })).catch((error: unknown) => {
          throw sqlState(error) === UNIQUE_VIOLATION ? nameTaken(change.name) : error;
        });
        if (!after) throw new OperatorError('The project was deleted meanwhile.');
        const value = { ...describe(after), ...(jobs && { queued }) };
        print(context, options, value, () => `Project ${after.name} changed.${jobs ? ` ${queued} pages queued.` : ''}`);
      }),
    );

  addWeightsCommand(project, context);

  project
    .command('delete')
    .description('delete a project with its pages, keys, searches and events')
    .requiredOption('--project <id|name>')
    .requiredOption('--yes', 'really: nothing of it can be brought back')
    .option('--json', 'one JSON value on stdout')
    .action((options: { project: string; json?: boolean }) =>
      withDatabase(context, async ({ db }) => {
        const row = await requireProject(db, options.project);
        await inTransaction(db, async (trx) => {
          await lockProject(trx, row.project_id);
          await deleteProjectHistory(trx, row.project_id);
          await deleteProjectRow(trx, row.project_id);
        });
        print(
          context,
          options,
          { id: row.project_id, name: row.name, deleted: true },
          () => `Project ${row.name} deleted.`,
        );
      }),
    );
}

const UNIQUE_VIOLATION = '23505';

function nameTaken(name: string | undefined): OperatorError {
  return new OperatorError(`There is a project named ${JSON.stringify(name)} already.`);
}

function changeOf(before: ProjectRow, options: UpdateOptions): ProjectChange {
  const change: ProjectChange = { ...planChange(before, options) };
  if (options.name !== undefined) change.name = checkName(options.name);
  if (options.access !== undefined) change.access = options.access;
  if (options.titleEvidence !== undefined) change.title_evidence = options.titleEvidence === 'on';
  if (Object.keys(change).length === 0)
    throw new OperatorError('Nothing to change: give --name, --plan, --access, --title-evidence or a rate.');
  return change;
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > 200) throw new OperatorError('--name must have 1 to 200 characters.');
  return trimmed;
}

function describe(row: ProjectRow) {
  return {
    id: row.project_id,
    name: row.name,
    plan: row.plan,
    access: row.access,
    title_evidence: row.title_evidence,
    rates: pickRates(row),
  };
}
