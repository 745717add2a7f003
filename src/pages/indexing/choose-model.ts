import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/logger.js';
import { AUTO } from '../../embedding/locate-model.js';
import type { Db } from '../../platform/database/db.js';
import { findModelChoices, storeDecision, type ModelDecision } from '../store/model-choices.js';
import { countLanguages, type LanguageCount } from './count-languages.js';

/**
 * Where so many of the pages are in English, the English model answers: it finds what visitors mean better and takes
 * half the time. A tenth of other pages is found by letters, as their titles in English are.
 */
const NEARLY_ALL = 0.9;

/** The first pages of a site come in one after the other: it is waited until none has come for a second. */
const QUIET_SECONDS = 1;
const MAX_WAITS = 6;
/** Or until there are so many. */
const ENOUGH_PAGES = 50;

/** The change of a project that chooses a model for it; null: as the installation says. `auto` decides anew. */
export function chooseModel(name: string | null): { model_choice: string | null; model_decided?: null } {
  return name === AUTO ? { model_choice: AUTO, model_decided: null } : { model_choice: name };
}

/** The name of the model that each project is to answer with. Where `auto` has not decided yet, it does so now. */
export async function wantedModels(
  { db, logger }: { db: Db; logger: Logger },
  projectIds: readonly string[],
): Promise<Map<string, string>> {
  const choices = await findModelChoices(db, projectIds);
  const undecided = choices.filter(({ wanted }) => wanted === null).map(({ project_id }) => project_id);
  const decide = async (projectId: string): Promise<void> => {
    const count = await countFirstPages(db, projectId);
    if (count.pages === 0) return;
    const decision = decideModel(count);
    await storeDecision(db, projectId, decision);
    logger.info("a project's model follows its pages", { project_id: projectId, ...decision });
  };
  // Beside each other: each waits up to three seconds for its first pages, and the whole batch with it.
  await Promise.all(undecided.map(decide));
  const all = undecided.length === 0 ? choices : await findModelChoices(db, projectIds);
  return new Map(all.flatMap(({ project_id, wanted }) => (wanted === null ? [] : [[project_id, wanted]])));
}

export function decideModel({ languages, pages, declared }: LanguageCount): ModelDecision {
  const model = fits('english', { languages }) ? 'english' : 'multilingual';
  return { model, languages, pages, declared, decided_at: new Date().toISOString() };
}

/** Whether a model reads the languages of these pages. */
export function fits(model: string | null, { languages }: Pick<LanguageCount, 'languages'>): boolean {
  return model !== 'english' || (languages['en'] ?? 0) >= NEARLY_ALL;
}

async function countFirstPages(db: Db, projectId: string): Promise<LanguageCount> {
  for (let waits = 0; ; waits += 1) {
    const count = await countLanguages(db, projectId);
    if (count.pages >= ENOUGH_PAGES || count.youngest >= QUIET_SECONDS || waits === MAX_WAITS) return count;
    await sleep(500 * QUIET_SECONDS);
  }
}
