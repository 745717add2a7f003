import type { Command } from 'commander';
import { onCommandLine } from '../../accounts/actor.js';
import { makeProject } from '../../projects/projects.js';
import { OperatorError } from '../../base/errors.js';
import { countOf } from '../../text/count-of.js';
import { deleteWholeProject, describeLoss } from '../../operations/delete-project.js';
import { describeIndex, readPace } from '../../pages/indexing/pace.js';
import { countPagesByStatus, readIndexState } from '../../pages/store/page-counts.js';
import {
  checkLanguages,
  describeLanguages,
  ENGLISH_MODEL_WARNING,
  readModelState,
  reasonOf,
} from '../../pages/indexing/model-state.js';
import { modelChoice } from '../../embedding/locate-model.js';
import { addModelName } from '../../pages/store/model-choices.js';
import { DEFAULT_PLAN, describeRate } from '../../projects/plans.js';
import { listProjects } from '../../projects/store/projects.js';
import { table, type CommandContext } from '../shared/context.js';
import { NO_RATES, ratesFrom, withRates, type RateOptions } from './project-rates.js';
import { addProjectUpdate, describe, modelOption, queueModelChange } from './project-update.js';
import { databaseCommand, projectCommand } from '../shared/project-command.js';
import { describeSource, readSource } from '../../sync/project-source.js';
import { listProjectSources } from '../../sync/store/project-sources.js';
import { describeForCommand } from './project-source-options.js';

export function addProjectCommands(program: Command, context: CommandContext): void {
  const group = program.command('project');

  databaseCommand<RateOptions & { name: string; model?: string }>(group, context, 'create', {
    description: 'make a project',
    makes: true,
    takes: (command) =>
      withRates(command).requiredOption('--name <name>', 'unique name, 1 to 200 characters').addOption(modelOption()),
    run: async ({ db, queue, options, say }) => {
      const plan = options.plan ?? DEFAULT_PLAN;
      const model = options.model === undefined ? {} : { model_choice: modelChoice(options.model) };
      if (model.model_choice !== undefined) await addModelName(db, model.model_choice);
      const chosen = plan === 'none' ? null : plan;
      const made = await makeProject(db, onCommandLine(), {
        name: options.name,
        plan: chosen,
        ...model,
        ...(chosen === null ? NO_RATES : ratesFrom(chosen, options)),
      });
      // A worker tries the model at once, not only with the first page.
      if (model.model_choice !== undefined) await queueModelChange(queue, made.project_id);
      const value = { id: made.project_id, name: made.name, plan: made.plan };
      say(value, () => `Project ${value.name} made: ${value.id}, plan ${value.plan ?? 'none'}`);
    },
  });

  projectCommand(group, context, 'show', {
    description:
      'a project: its plan with its rates, its settings, its model with the languages of its pages, and the number of its pages by status',
    run: async ({ db, project: row, say }) => {
      const model = await readModelState(db, row.project_id);
      if (!model) throw new OperatorError('The project was deleted meanwhile.');
      const source = await readSource(db, row.project_id);
      const now = await checkLanguages(db, row.project_id, model.wanted);
      const value = {
        ...describe(row),
        model: { ...model, languages: now.count.languages, fits: now.fits },
        source: describeForCommand(source),
        pages: await countPagesByStatus(db, row.project_id),
        index: await readIndexState(db, row.project_id),
      };
      const pace = await readPace(db, row.project_id, value.index.waiting);
      const { change } = model;
      say(value, () =>
        table([
          ['id', value.id],
          ['name', value.name],
          ['plan', value.plan ?? 'none'],
          ['reads', value.plan === null ? 'none' : describeRate(row.read_rate, row.read_burst)],
          ['writes', value.plan === null ? 'none' : describeRate(row.write_rate, row.write_burst)],
          ['access', value.access],
          ['redirects above', String(value.redirect_above)],
          ['shows from', String(value.shown_from)],
          ['trial', value.trial ? 'on: no guess redirects' : 'off'],
          ['site search', value.site_search ?? 'none'],
          ['source', source ? describeSource(source) : 'none'],
          ...(source?.next_at ? [['next sync', source.next_at.toISOString()]] : []),
          ['titles searched', value.title_evidence ? 'yes' : 'no'],
          ['model', `${model.wanted ?? 'not decided'}: ${reasonOf(model)}`],
          ...(model.failure === null ? [] : [['', `It cannot be loaded: ${model.failure}`]]),
          ['answers with', model.answers ?? 'none yet: no page is indexed'],
          ...(change
            ? [['changes to', `${change.to}: ${change.pages_done} of ${countOf(change.pages, 'page')} done`]]
            : []),
          ['languages now', describeLanguages(now.count)],
          ...(now.fits ? [] : [['', `${ENGLISH_MODEL_WARNING} \`project update --model auto\` decides again.`]]),
          ...Object.entries(value.pages).map(([status, pages]) => [status, String(pages)]),
          ['searches', describeIndex(value.index, pace)],
        ]),
      );
    },
  });

  databaseCommand(group, context, 'list', {
    description: 'all projects',
    run: async ({ db, say }) => {
      const sources = new Map((await listProjectSources(db)).map((source) => [source.project_id, source]));
      const projects = (await listProjects(db)).map((row) => ({
        ...describe(row),
        source: describeForCommand(sources.get(row.project_id)),
      }));
      say(projects, () =>
        table([
          ['ID', 'NAME', 'PLAN', 'ACCESS', 'SOURCE'],
          ...projects.map((row) => [row.id, row.name, row.plan ?? 'none', row.access, row.source?.from ?? '']),
        ]),
      );
    },
  });

  addProjectUpdate(group, context);

  projectCommand<{ yes?: boolean }>(group, context, 'delete', {
    description: 'delete a project with its pages, keys, searches and events',
    takes: (command) =>
      command.option('--yes', 'really: nothing of it can be brought back; without it, says what would be lost'),
    run: async ({ db, options, project: row, say }) => {
      if (!options.yes) {
        const lost = await describeLoss(db, row.project_id);
        throw new OperatorError(
          `This deletes the project ${row.name} with ${lost}. Nothing of it can be brought back. If you mean it, add --yes.`,
        );
      }
      await deleteWholeProject(db, onCommandLine(), row);
      say({ id: row.project_id, name: row.name, deleted: true }, () => `Project ${row.name} deleted.`);
    },
  });
}
