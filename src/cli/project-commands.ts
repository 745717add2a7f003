import { Option, type Command } from 'commander';
import { inTransaction, sqlState } from '../database/session/connect.js';
import { deleteProjectHistory } from '../database/queries/history-rows.js';
import { countPagesByStatus } from '../database/queries/page-status.js';
import {
  deleteProjectRow,
  insertProject,
  listProjects,
  updateProject,
  type ProjectRow,
  type ProjectChange,
} from '../database/queries/projects.js';
import { OperatorError } from '../errors.js';
import type { Plan, Rates } from '../glossary.js';
import { PLANS, ratesOf } from '../keys/plans.js';
import { print, requireProject, table, withDatabase, type CommandContext } from './context.js';

interface RateOptions {
  plan?: Plan | 'none';
  readRate?: number;
  readBurst?: number;
  writeRate?: number;
  writeBurst?: number;
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
    .option('--json', 'one JSON value on stdout')
    .action(
      (options: RateOptions & { project: string; name?: string; access?: 'open' | 'restricted'; json?: boolean }) =>
        withDatabase(context, async ({ db }) => {
          const before = await requireProject(db, options.project);
          const change: ProjectChange = { ...planChange(before, options) };
          if (options.name !== undefined) change.name = checkName(options.name);
          if (options.access !== undefined) change.access = options.access;
          if (Object.keys(change).length === 0)
            throw new OperatorError('Nothing to change: give --name, --plan, --access or a rate.');
          const after = await updateProject(db, before.project_id, change).catch((error: unknown) => {
            throw sqlState(error) === UNIQUE_VIOLATION ? nameTaken(change.name) : error;
          });
          if (!after) throw new OperatorError('The project was deleted meanwhile.');
          print(context, options, describe(after), () => `Project ${after.name} changed.`);
        }),
    );

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

const NO_RATES: Rates = { read_rate: 0, read_burst: 0, write_rate: 0, write_burst: 0 };

function withRates(command: Command): Command {
  const positive =
    (min: number) =>
    (text: string): number => {
      const value = Number(text);
      if (!Number.isFinite(value) || value < min || value > 1_000_000) {
        throw new OperatorError(`A rate is a number from ${min} to 1000000, not ${JSON.stringify(text)}.`);
      }
      return value;
    };
  return command
    .addOption(new Option('--plan <plan>', 'sets the rates; "none" takes access away').choices([...PLANS, 'none']))
    .option('--read-rate <n>', 'enterprise: reads a second', positive(0.001))
    .option('--read-burst <n>', 'enterprise: reads at once', positive(1))
    .option('--write-rate <n>', 'enterprise: writes a second', positive(0.001))
    .option('--write-burst <n>', 'enterprise: writes at once', positive(1));
}

function ratesFrom(plan: Plan, options: RateOptions, before?: Rates): Rates {
  const given = givenRates(options);
  if (plan !== 'enterprise' && given.length > 0) throw new OperatorError('Rates of your own need the plan enterprise.');
  return ratesOf(plan, { ...before, ...Object.fromEntries(given) });
}

function givenRates({ readRate, readBurst, writeRate, writeBurst }: RateOptions): [string, number][] {
  const rates = { read_rate: readRate, read_burst: readBurst, write_rate: writeRate, write_burst: writeBurst };
  return Object.entries(rates).filter((one): one is [string, number] => one[1] !== undefined);
}

function planChange(before: ProjectRow, options: RateOptions): ProjectChange {
  if (options.plan === 'none') return { plan: null, ...NO_RATES };
  const plan = options.plan ?? before.plan;
  if (options.plan === undefined && givenRates(options).length === 0) return {};
  if (plan === null) throw new OperatorError('The project has no plan: give --plan.');
  // An enterprise project keeps the rates that are not given.
  return { plan, ...ratesFrom(plan, options, before.plan === 'enterprise' ? pickRates(before) : undefined) };
}

function pickRates({ read_rate, read_burst, write_rate, write_burst }: Rates): Rates {
  return { read_rate, read_burst, write_rate, write_burst };
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
    rates: pickRates(row),
  };
}
