import { Option, type Command } from 'commander';
import { onCommandLine } from '../../accounts/actor.js';
import { changeProject } from '../../projects/projects.js';
import { type ProjectChange, type ProjectRow } from '../../projects/store/projects.js';
import { waitUntilVisible } from '../../projects/index-changes.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { modelChoice } from '../../embedding/locate-model.js';
import { chooseModel } from '../../pages/indexing/choose-model.js';
import { addModelName } from '../../pages/store/model-choices.js';
import { OperatorError } from '../../base/errors.js';
import { countOf } from '../../text/count-of.js';
import type { Thresholds } from '../../base/glossary.js';
import { parseSiteSearch, SITE_SEARCH_FORM } from '../../search/dead-urls/site-search.js';
import { thresholdProblem } from '../../search/ranking/scores/score.js';
import { describeSource } from '../../sync/project-source.js';
import type { CommandContext } from '../shared/context.js';
import { pickRates, planChange, withRates, type RateOptions } from './project-rates.js';
import type { CommandDatabase } from '../shared/command-database.js';
import { projectCommand, switchOption } from '../shared/project-command.js';
import {
  changesSource,
  changeSource,
  describeForCommand,
  type SourceCommandOptions,
} from './project-source-options.js';

interface UpdateOptions extends RateOptions, SourceCommandOptions {
  name?: string;
  access?: 'open' | 'restricted';
  titleEvidence?: 'on' | 'off';
  redirectAbove?: number;
  shownFrom?: number;
  trial?: 'on' | 'off';
  siteSearch?: string;
  case?: 'ignored' | 'matters' | 'default';
  slash?: 'ignored' | 'matters' | 'default';
  model?: string;
}

export function addProjectUpdate(project: Command, context: CommandContext): void {
  projectCommand<UpdateOptions>(project, context, 'update', {
    description: 'change name, plan, rates, access or source of a project',
    takes: (command) =>
      withRates(command)
        .option('--name <name>', 'new name')
        .addOption(
          new Option('--access <access>', 'restricted: every request is answered 403').choices(['open', 'restricted']),
        )
        .addOption(
          switchOption(
            '--title-evidence <switch>',
            'off: a page is searched by its content alone; indexes all pages again',
          ),
        )
        .option('--redirect-above <score>', 'scores over this redirect, 0.5 to 1; 1: only known redirects do', Number)
        .option('--shown-from <score>', 'the minimum score of what a 404 page shows, 0 to 1', Number)
        .addOption(
          switchOption('--trial <switch>', 'on: no guess redirects; searches keep what would have been redirected'),
        )
        .option('--site-search <url>', "the site's own search, up to the words: /search?q=; '': none")
        .addOption(countsOption('--case', 'upper and lower case in paths'))
        .addOption(countsOption('--slash', 'a slash at the end of a path'))
        .addOption(modelOption())
        .option('--source <url|path>', "a site, file or folder that the worker syncs by itself; '': none")
        .option('--base <url>', "the url of that site's root, where the source does not say it")
        .option('--every <duration>', 'how often, such as 12h; 1d, if a new source has none')
        .option('--prune', 'have its syncs delete pages that it does not have; at most a fifth of the project')
        .option('--no-prune', 'have them keep these')
        .option('--exclude <pattern...>', "paths that its syncs leave out: /tags/* or *?print=*; '': none")
        .option('--include <pattern...>', "paths that its syncs read alone; '': all"),
    run: async ({ db, queue, project: before, options, say }) => {
      const change = changeOf(before, options);
      const hasChange = Object.keys(change).length > 0;
      const reindexes = change.title_evidence !== undefined && change.title_evidence !== before.title_evidence;
      // The module is loaded only for the changes that need it.
      const reindex = reindexes
        ? { jobs: await queue(), all: (await import('../../pages/maintain-pages.js')).reindexAll }
        : undefined;
      if (change.model_choice) await addModelName(db, change.model_choice);
      const { after, queued } = await inTransaction(db, async (trx) => ({
        after: hasChange ? await changeProject(trx, onCommandLine(), before, change) : before,
        queued: reindex ? await reindex.all(trx, reindex.jobs, before.project_id) : 0,
      }));
      if (!after) throw new OperatorError('The project was deleted meanwhile.');
      if (change.path_case !== undefined || change.path_slash !== undefined) {
        await (await import('../../rules/cover-paths.js')).coverAllPaths({ db, projectId: after.project_id }, Infinity);
      }
      await waitUntilVisible();
      if (change.model_choice) await queueModelChange(queue, after.project_id);
      const isSourced = changesSource(options);
      const source = isSourced ? await changeSource(db, before.project_id, options) : undefined;
      const value = {
        ...describe(after),
        ...(isSourced && { source: describeForCommand(source) }),
        ...(reindex && { queued }),
      };
      const synced = source ? ` It is synced from ${describeSource(source)}.` : '';
      say(
        value,
        () => `Project ${after.name} changed.${reindex ? ` ${countOf(queued, 'page')} queued.` : ''}${synced}`,
      );
    },
  });
}

/** Queues the change of a project's model. The job is loaded only when this is called. */
export async function queueModelChange(queue: CommandDatabase['queue'], projectId: string): Promise<void> {
  const { changeModel } = await import('../../pages/indexing/change-model-job.js');
  await (await queue()).enqueueNow(changeModel, [{ projectId }]);
}

function changeOf(before: ProjectRow, options: UpdateOptions): ProjectChange {
  const change: ProjectChange = { ...planChange(before, options) };
  if (options.name !== undefined) change.name = options.name;
  if (options.access !== undefined) change.access = options.access;
  if (options.titleEvidence !== undefined) change.title_evidence = options.titleEvidence === 'on';
  if (options.redirectAbove !== undefined)
    change.redirect_above = checkThreshold('redirectAbove', '--redirect-above', options.redirectAbove);
  if (options.shownFrom !== undefined)
    change.shown_from = checkThreshold('shownFrom', '--shown-from', options.shownFrom);
  if (options.trial !== undefined) change.trial = options.trial === 'on';
  if (options.siteSearch !== undefined) change.site_search = checkSiteSearch(options.siteSearch);
  if (options.case !== undefined) change.path_case = options.case === 'default' ? null : options.case;
  if (options.slash !== undefined) change.path_slash = options.slash === 'default' ? null : options.slash;
  if (options.model !== undefined) Object.assign(change, chooseModel(modelChoice(options.model)));
  if (Object.keys(change).length === 0 && !changesSource(options))
    throw new OperatorError(
      'Nothing to change: give --name, --plan, --access, --model, --source, --title-evidence, --trial, --site-search, --case, --slash, a threshold or a rate.',
    );
  return change;
}

function countsOption(name: string, what: string): Option {
  return new Option(
    `${name} <how>`,
    `whether the site tells ${what} apart: rules and exports follow; default: rules ignore it, exports write each address as it was listed`,
  ).choices(['ignored', 'matters', 'default']);
}

export function modelOption(): Option {
  return new Option(
    '--model <name>',
    'auto: by the languages of its pages, decided anew; english, multilingual, static; a folder, or a hub id. Another model embeds all pages again',
  );
}

function checkThreshold(which: keyof Thresholds, option: string, value: number): number {
  const problem = thresholdProblem(which, value);
  if (problem !== undefined) throw new OperatorError(`${option}: ${problem}`);
  return value;
}

/** @throws OperatorError */
function checkSiteSearch(address: string): string | null {
  if (address === '') return null;
  if (!parseSiteSearch(address)) throw new OperatorError(`--site-search: ${SITE_SEARCH_FORM}`);
  return address;
}

/** A project as commands print it. */
export function describe(row: ProjectRow) {
  const { project_id: id, name, plan, access, title_evidence, redirect_above, shown_from, trial } = row;
  const { site_search, path_case, path_slash, model_choice } = row;
  const forPaths = { title_evidence, redirect_above, shown_from, trial, site_search, path_case, path_slash };
  return { id, name, plan, access, ...forPaths, model_choice, rates: pickRates(row) };
}
