import type { Db } from '../../platform/database/db.js';
import { countPagesByStatus } from '../store/page-counts.js';
import { findModelChoice, findModelNamed, type LanguageCount, type ModelChoice } from '../store/model-choices.js';
import { countPagesOfModel, findModel } from '../store/models.js';
import { readAnsweringModel } from '../../projects/project-model.js';
import { countLanguages, fitsLanguages } from './choose-model.js';

/** A project's model, for console and commands. */
export interface ModelState extends Omit<ModelChoice, 'project_id'> {
  /** The name of the answering model; null before the first page is indexed. */
  answers: string | null;
  /** Progress of a change of the model; null without one. */
  change: { to: string; pages_done: number; pages: number } | null;
}

/** Reads the state of a project's model; undefined if the project was deleted. */
export async function readModelState(db: Db, projectId: string): Promise<ModelState | undefined> {
  const [stored, answering] = await Promise.all([findModelChoice(db, projectId), readAnsweringModel(db, projectId)]);
  if (!stored) return undefined;
  const { choice, installation, decided, wanted, failure } = stored;
  const state = { choice, installation, decided, wanted, failure, answers: null, change: null };
  if (answering === null) return state;
  const answers = (await findModel(db, answering))?.name ?? null;
  const next = wanted === null ? undefined : await findModelNamed(db, wanted);
  if (next === answering) return { ...state, answers };
  const [done, { INDEXED: pages }] = await Promise.all([
    next === undefined ? 0 : countPagesOfModel(db, projectId, next),
    countPagesByStatus(db, projectId),
  ]);
  return {
    ...state,
    answers,
    change: { to: wanted ?? 'what auto decides', pages_done: Math.min(done, pages), pages },
  };
}

/** Explains why a project has its model, as the end of a sentence. */
export function reasonOf({ choice, installation, decided }: ModelState, describe = describeLanguages): string {
  if (choice !== null && choice !== 'auto') return 'the choice of this project';
  if (choice === null && installation !== 'auto') return 'EMBEDDING_MODEL of the workers';
  if (decided === null) return 'chosen automatically when the first pages come in';
  const chosen = `chosen automatically on ${decided.decided_at.slice(0, 10)}`;
  return Object.keys(decided.languages).length > 0
    ? `${chosen} from ${describe(decided)}`
    : `${chosen}, when the pages had too little text to tell their languages: with more, auto can decide again`;
}

/** Describes languages as `en 97%, de 3% of 120 pages (20 declare a language)`. */
export function describeLanguages({ languages, pages, declared }: LanguageCount): string {
  const shares = Object.entries(languages).slice(0, 5);
  const listed = shares.map(([language, share]) => `${language} ${Math.round(1_000 * share) / 10}%`).join(', ');
  return `${listed === '' ? 'no known language' : listed} of ${pages} pages (${declared} declare a language)`;
}

/** Counts the current languages of the pages, and tells whether the project's model supports them. */
export async function checkLanguages(db: Db, projectId: string, wanted: string | null) {
  const { languages, pages, declared } = await countLanguages(db, projectId);
  const count = { languages, pages, declared };
  return { count, fits: Object.keys(languages).length === 0 || fitsLanguages(wanted, count) };
}

export const ENGLISH_MODEL_WARNING = 'The English model answers, and many pages are in other languages.';
