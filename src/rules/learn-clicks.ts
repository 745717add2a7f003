import { recordChange, type AboutProject, type Actor } from '../accounts/actor.js';
import type { Db, Trx } from '../platform/database/db.js';
import { groupBy } from '../base/group-by.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import {
  addClickedRedirects,
  deleteLearnedClicks,
  insertFirstClicks,
  readClicks,
  type ClickedRedirect,
} from './store/clicked-redirects.js';
import { addQuestionClicks, deleteClickedQuestions, type QuestionClick } from './store/clicked-questions.js';
import { lockRedirects } from '../projects/turns.js';
import { parseExclusion } from '../text/page-url.js';
import { findClickedPage, type ClickedPage } from './learned/clicked-page.js';
import { hashPlainPath, joinSegments, pathKey, plainPath } from '../text/paths/plain-path.js';

/** A click on a page, and the search that answered with it. */
export interface LinkedClick {
  project_id: string;
  event_id: string;
  search_id: string;
  received_at: string;
  clicked_url: string;
  search: { ofPath: boolean; input: string; results: readonly { page_id: string; url: string }[] };
}

/** The effect of clicks: they changed the confirmed page of some path, or only the page that is ahead. */
export type ClickedChange = 'confirmed' | 'ahead';

/**
 * Learns from clicks that were stored in this transaction, of live keys, on pages that searches answered with: dead
 * paths get redirects, questions are evidence for later ones.
 * A search counts once for a page, however often its visitor clicks. The clicks are counted here because a separate job
 * would count them twice when it runs again.
 * @returns `redirects`: the projects whose section redirects must be learned again, in the order of their ids.
 * `confirmed`: their answers change already now. Most clicks change nothing. `questions`: the projects with clicks on
 * answers to questions.
 */
export async function learnClicks(trx: Trx, clicks: readonly LinkedClick[]) {
  const changes = new Map<string, ClickedChange>();
  const onPages = clicks.flatMap((click) => {
    const pageId = clickedPageOf(click);
    return pageId === undefined ? [] : [{ click, pageId }];
  });
  const counted = await insertFirstClicks(
    trx,
    onPages.map(({ click: { project_id, event_id, search_id, received_at }, pageId }) => ({
      project_id,
      event_id,
      search_id,
      page_id: pageId,
      received_at,
    })),
  );
  const learned = onPages.filter(({ click }) => counted.has(click.event_id));
  for (const [projectId, some] of groupByProject(learned.filter(({ click }) => click.search.ofPath))) {
    const change = await countClicks(trx, projectId, some.map(toRedirect));
    if (change) changes.set(projectId, change);
  }
  const onAnswers = groupByProject(learned.filter(({ click }) => !click.search.ofPath));
  for (const [projectId, some] of onAnswers) await addQuestionClicks(trx, projectId, some.map(toQuestion));
  return { redirects: changes, questions: onAnswers.map(([projectId]) => projectId) };
}

interface ClickOnPage {
  click: LinkedClick;
  pageId: string;
}

/** Groups clicks, in the order of their projects' ids: transactions lock them in the same order. */
function groupByProject(clicks: readonly ClickOnPage[]): [string, ClickOnPage[]][] {
  return [...groupBy(clicks, ({ click }) => click.project_id)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function toRedirect({ click, pageId }: ClickOnPage): ClickedRedirect {
  const oldPath = joinSegments(plainPath(click.search.input).segments);
  return { key: hashPlainPath(oldPath), oldPath, pageId, lastSeenAt: click.received_at };
}

function toQuestion({ click, pageId }: ClickOnPage): QuestionClick {
  return { question: click.search.input, page_id: pageId, clicked_at: click.received_at };
}

/** The clicked page, if the search answered with it: by its url as answered, else by its plain path. */
function clickedPageOf({ search, clicked_url }: LinkedClick): string | undefined {
  const clicked = parseExclusion(clicked_url);
  const url = 'path' in clicked ? clicked.path : new URL(clicked.href).pathname + new URL(clicked.href).search;
  const plain = joinSegments(plainPath(url).segments);
  const result =
    search.results.find((page) => page.url === url) ??
    search.results.find((page) => pathKey(page.url).equals(hashPlainPath(plain)));
  return result?.page_id;
}

/** Adds clicks to the learned redirects. Returns what changed; undefined: the page of no path did. */
async function countClicks(trx: Trx, projectId: string, redirects: readonly ClickedRedirect[]) {
  await lockRedirects(trx, projectId);
  const keys = [...new Map(redirects.map((redirect) => [redirect.key.toString('hex'), redirect.key])).values()];
  const readPages = async () => groupBy(await readClicks(trx, projectId, keys), ({ key }) => key);
  const before = await readPages();
  await addClickedRedirects(trx, projectId, redirects);
  let change: ClickedChange | undefined;
  for (const [key, rows] of await readPages()) {
    const [former, latest] = [findPage(before.get(key) ?? []), findPage(rows)];
    if (former?.pageId === latest?.pageId && former?.confirmed === latest?.confirmed) continue;
    change = change === 'confirmed' || former?.confirmed === true || latest?.confirmed === true ? 'confirmed' : 'ahead';
  }
  return change;
}

function findPage(rows: readonly { page_id: string; clicks: number }[]): ClickedPage | undefined {
  return findClickedPage(new Map(rows.map(({ page_id, clicks }) => [page_id, clicks])));
}

/**
 * Deletes what clicks taught about a path or a question; without `path`, about all. The caller must learn the section
 * redirects again.
 * @returns false if there was nothing to delete
 */
export async function eraseLearnedClicks(
  db: Db,
  by: Actor,
  project: NonNullable<AboutProject>,
  path: string | undefined,
): Promise<boolean> {
  const { project_id: projectId } = project;
  const key = path === undefined ? undefined : hashPlainPath(joinSegments(plainPath(path).segments));
  return inTransaction(db, async (trx) => {
    await lockRedirects(trx, projectId);
    const questions = await deleteClickedQuestions(trx, projectId, path);
    const isForgotten = (await deleteLearnedClicks(trx, projectId, key)) + questions > 0;
    if (isForgotten) {
      await recordChange(trx, by, project, 'learned clicks forgotten', path ?? 'of every path');
      await bumpIndexVersion(trx, projectId);
    }
    return isForgotten;
  });
}
