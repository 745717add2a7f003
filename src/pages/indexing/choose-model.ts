import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/logger.js';
import { AUTO } from '../../embedding/locate-model.js';
import type { Db } from '../../platform/database/db.js';
import { threadTurns, runInThread } from '../../platform/run-in-thread.js';
import { parsePageUrl } from '../../text/page-url.js';
import { languageOf } from '../../text/paths/sanitize-path.js';
import { storeModelDecision } from '../../projects/project-model.js';
import {
  findModelChoices,
  samplePages,
  type LanguageCount,
  type ModelDecision,
  type SampledPage,
} from '../store/model-choices.js';

/** The English model is chosen from this share of English pages on: it finds more of these, in half the time. */
const NEARLY_ALL = 0.9;

/** Waits for the first pages of a site until none has arrived for a second, or {@link ENOUGH_PAGES} have. */
const QUIET_SECONDS = 1;
const MAX_WAITS = 6;
const ENOUGH_PAGES = 50;

/** The project columns of a model choice; null: the installation's model. `auto` decides again. */
export function chooseModel(name: string | null): { model_choice: string | null; model_decided?: null } {
  return name === AUTO ? { model_choice: AUTO, model_decided: null } : { model_choice: name };
}

/** The name of each project's wanted model. Decides for `auto` where it has not yet. */
export async function wantedModels({ db, logger }: { db: Db; logger: Logger }, projectIds: readonly string[]) {
  const choices = await findModelChoices(db, projectIds);
  const undecided = choices.filter(({ wanted }) => wanted === null).map(({ project_id }) => project_id);
  const decide = async (projectId: string): Promise<void> => {
    const count = await countFirstPages(db, projectId);
    if (count.pages === 0) return;
    const decision = decideModel(count);
    await storeModelDecision(db, projectId, decision);
    logger.info("a project's model follows its pages", { project_id: projectId, ...decision });
  };
  // Projects are decided in parallel: each waits up to three seconds for its first pages.
  await Promise.all(undecided.map(decide));
  const all = undecided.length === 0 ? choices : await findModelChoices(db, projectIds);
  return new Map(all.flatMap(({ project_id, wanted }) => (wanted === null ? [] : [[project_id, wanted]])));
}

function decideModel({ languages, pages, declared }: LanguageCount): ModelDecision {
  const model = fitsLanguages('english', { languages }) ? 'english' : 'multilingual';
  return { model, languages, pages, declared, decided_at: new Date().toISOString() };
}

/** Whether a model supports the languages of these pages. */
export function fitsLanguages(model: string | null, { languages }: Pick<LanguageCount, 'languages'>): boolean {
  return model !== 'english' || (languages['en'] ?? 0) >= NEARLY_ALL;
}

async function countFirstPages(db: Db, projectId: string): Promise<LanguageCount> {
  for (let waits = 0; ; waits += 1) {
    const count = await countLanguages(db, projectId);
    if (count.pages >= ENOUGH_PAGES || count.youngest >= QUIET_SECONDS || waits === MAX_WAITS) return count;
    await sleep(500 * QUIET_SECONDS);
  }
}

/** The number of sampled pages; with the start of the detector they take a third of a second. */
const MAX_PAGES = 300;
const MAX_CHARACTERS = 600;
const MAX_DETECT_MS = 20_000;

const url = new URL('./languages-thread.js', import.meta.url);

/** Counts the declared or detected languages of the first and the latest pages. */
export async function countLanguages(db: Db, projectId: string): Promise<LanguageCount & { youngest: number }> {
  const pages = await samplePages(db, projectId, MAX_PAGES, MAX_CHARACTERS);
  const declared = pages.map(declaredLanguage);
  const texts = pages.filter((_, at) => declared[at] === '').map(({ text }) => text);
  const all = [...declared.filter((language) => language !== ''), ...(await detectInThread(projectId, texts))];
  return {
    languages: sharesOf(all.filter((language) => language !== '')),
    pages: pages.length,
    declared: pages.length - texts.length,
    youngest: Math.min(...pages.map(({ age }) => age)),
  };
}

/** Returns the language that the page's metadata declares, else its path; '' without one. */
function declaredLanguage({ url: address, lang }: Pick<SampledPage, 'url' | 'lang'>): string {
  const [, code] = /^([a-z]{2,3})(?:[-_]|$)/i.exec(lang?.trim() ?? '') ?? [];
  if (code !== undefined) return code.toLowerCase();
  return languageOf((parsePageUrl(address)?.path ?? '').split('/').filter((segment) => segment !== '')).toLowerCase();
}

function sharesOf(languages: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1);
  return Object.fromEntries(
    [...counts]
      .sort((a, b) => b[1] - a[1])
      .map(([language, pages]) => [language, Math.round((1_000 * pages) / languages.length) / 1_000]),
  );
}

async function detectInThread(projectId: string, texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return [];
  const late = 'The languages of the pages could not be detected in time.';
  return threadTurns.run(projectId, async () => {
    const detected = runInThread<string[]>({ url, workerData: texts, withinMs: MAX_DETECT_MS, late });
    for await (const languages of detected) return languages;
    throw new Error('the thread detected nothing');
  });
}
