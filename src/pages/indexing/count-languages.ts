import type { Db } from '../../platform/database/db.js';
import { apartTurns, workApart } from '../../platform/work-apart.js';
import { parsePageUrl } from '../../text/page-url.js';
import { languageOf } from '../../text/paths/sanitize-path.js';
import { samplePages, type SampledPage } from '../store/model-choices.js';

/** The languages of a project's pages, as far as they were looked at. */
export interface LanguageCount {
  /** Shares of the pages whose language is known, by ISO 639-1 code, the largest first. */
  languages: Record<string, number>;
  /** Pages that were looked at. */
  pages: number;
  /** Those whose metadata or path declare a language. */
  declared: number;
}

/** A site's languages show in these; with the detector's start they take a third of a second. */
const MAX_PAGES = 300;
const MAX_CHARACTERS = 600;
const MAX_DETECT_MS = 20_000;

const url = new URL('./languages-thread.js', import.meta.url);

/** Looks at the pages that came in first and last: what they declare, else what their text is written in. */
export async function countLanguages(db: Db, projectId: string): Promise<LanguageCount & { youngest: number }> {
  const pages = await samplePages(db, projectId, MAX_PAGES, MAX_CHARACTERS);
  const declared = pages.map(declaredLanguage);
  const texts = pages.filter((_, at) => declared[at] === '').map(({ text }) => text);
  const all = [...declared.filter((one) => one !== ''), ...(await detectApart(projectId, texts))];
  return {
    languages: sharesOf(all.filter((one) => one !== '')),
    pages: pages.length,
    declared: pages.length - texts.length,
    youngest: Math.min(...pages.map(({ age }) => age)),
  };
}

/** Of the page's metadata, else of its path; '' if neither says it. */
export function declaredLanguage({ url: address, lang }: Pick<SampledPage, 'url' | 'lang'>): string {
  const [, code] = /^([a-z]{2,3})(?:[-_]|$)/i.exec(lang?.trim() ?? '') ?? [];
  if (code !== undefined) return code.toLowerCase();
  return languageOf((parsePageUrl(address)?.path ?? '').split('/').filter((segment) => segment !== '')).toLowerCase();
}

function sharesOf(languages: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const one of languages) counts.set(one, (counts.get(one) ?? 0) + 1);
  return Object.fromEntries(
    [...counts]
      .sort((a, b) => b[1] - a[1])
      .map(([one, pages]) => [one, Math.round((1_000 * pages) / languages.length) / 1_000]),
  );
}

async function detectApart(projectId: string, texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return [];
  const late = 'The languages of the pages could not be detected in time.';
  return apartTurns.run(projectId, async () => {
    const found = workApart<string[]>({ url, workerData: texts, withinMs: MAX_DETECT_MS, late });
    for await (const languages of found) return languages;
    throw new Error('the thread detected nothing');
  });
}
