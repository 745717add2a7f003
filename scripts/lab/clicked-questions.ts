/**
 * Measures what clicked questions teach: `node .build/scripts/lab/clicked-questions.js --pages FOLDER --questions FILE
 * [--last 1123] [--sites 12]`, EMBEDDING_MODEL=… (default `english`). FOLDER has SITE.jsonl.gz as
 * scripts/model/pages.py writes them, FILE is of scripts/model/questions, of which the last lines are read. The first
 * question of a page is asked and clicked, its second one is searched: before, after all pages have clicks, and after
 * those have that are not searched (what clicks on others do to a page without).
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { countWaitingPages } from '#src/pages/store/page-counts.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { query, sql } from '#src/platform/database/sql.js';
import { embedQuestions } from '#src/rules/embed-questions-job.js';
import { addQuestionClicks, deleteClickedQuestions } from '#src/rules/store/clicked-questions.js';
import { mean } from '../eval/measures.js';
import { createEmptyProject, mapConcurrently } from '../eval/index-site.js';
import { startThrowawayService } from '../eval/throwaway-service.js';
import { jsonHeaders, readOptions } from './harness.js';

const options = readOptions({
  pages: ['', 'folder of SITE.jsonl.gz'],
  questions: ['', 'file of questions'],
  last: [1_123, 'lines of it, the last ones'],
  sites: [12, 'sites'],
});

interface Page {
  file: string;
  meta: { title?: string };
  secs: [string, string][];
}
interface Questions {
  site: string;
  file: string;
  q: [string, string];
}

const parseLines = <Row>(text: string): Row[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
const questions = parseLines<Questions>(await readFile(options.questions, 'utf8')).slice(-options.last);
const EMBEDDING_MODEL = process.env['EMBEDDING_MODEL'] ?? 'english';
const { service, stop } = await startThrowawayService({ ...process.env, EMBEDDING_MODEL, SEARCH_CACHE_ENTRIES: '0' });
const { db, deps, queue } = service;
const urlOf = (file: string): string => `https://site.example/${encodeURI(file)}`;

interface Found {
  first: boolean;
  three: boolean;
  /** Whether its score is .7 or more. */
  isSure: boolean;
}

async function measure(site: string): Promise<Record<'before' | 'clicked' | 'others', Found[]>> {
  const whole = gunzipSync(await readFile(join(options.pages, `${site}.jsonl.gz`))).toString();
  const pages = parseLines<Page>(whole).filter(({ secs }) => secs.some(([, text]) => text.trim() !== ''));
  const { projectId, key } = await createEmptyProject(service, site);
  const check = createPageCheck();
  const pushed = pages.map(({ file, meta, secs }) =>
    check({ url: urlOf(file), title: meta.title ?? '', content: secs.map((part) => part.join('\n\n')).join('\n\n') }),
  );
  await upsertPages(deps, deps.tenants.of(projectId), pushed);
  while ((await countWaitingPages(db, projectId)) > 0) await pause(100);
  const files = new Set(pages.map(({ file }) => file));
  const cases = questions.filter((row) => row.site === site && files.has(row.file));

  const ids = new Map(
    (
      await query(sql<{ url: string; page_id: string }>`
        select url, page_id from pathmend.pages where project_id = ${projectId}`).rows(db)
    ).map(({ url, page_id: id }) => [url, id]),
  );
  async function learn(some: readonly Questions[]): Promise<void> {
    const clicked_at = new Date().toISOString();
    const clicks = some.flatMap(({ file, q: [question] }) =>
      Array.from({ length: 3 }, () => ({
        question,
        page_id: ids.get(urlOf(file)) ?? '',
        clicked_at,
      })),
    );
    await inTransaction(db, async (trx) => {
      await deleteClickedQuestions(trx, projectId);
      await addQuestionClicks(trx, projectId, clicks);
    });
    await queue.enqueueNow(embedQuestions, [{ projectId }]);
    const open = query(sql`select from pgboss.job where name = ${embedQuestions.name} and state < 'completed' limit 1`);
    while (await open.some(db)) await pause(100);
  }
  const search = (some: readonly Questions[]): Promise<Found[]> =>
    mapConcurrently(some, 4, async ({ file, q: [, text] }) => {
      const body = JSON.stringify({ query: text, options: { searchThreshold: 0 } });
      const init = { method: 'POST', headers: jsonHeaders(key), body };
      const answer = (await (await fetch(`${service.url}/v1/semantic-search`, init)).json()) as {
        suggestions: { url: string; score: number }[];
      };
      const rank = answer.suggestions.findIndex(({ url }) => url === new URL(urlOf(file)).pathname);
      return { first: rank === 0, three: rank >= 0 && rank < 3, isSure: (answer.suggestions[0]?.score ?? 0) >= 0.7 };
    });

  const before = await search(cases);
  await learn(cases);
  const clicked = await search(cases);
  const halves = [0, 1].map((half) => cases.filter((_, at) => at % 2 === half)) as [Questions[], Questions[]];
  await learn(halves[0]);
  const second = await search(halves[1]);
  await learn(halves[1]);
  return { before, clicked, others: [...(await search(halves[0])), ...second] };
}

const sites = (await readdir(options.pages)).flatMap((name) =>
  name.endsWith('.jsonl.gz') ? [basename(name, '.jsonl.gz')] : [],
);
const known = new Set(questions.map(({ site }) => site));
const all: Record<'before' | 'clicked' | 'others', Found[]> = { before: [], clicked: [], others: [] };
try {
  for (const site of sites.filter((name) => known.has(name)).slice(0, options.sites)) {
    const measured = await measure(site);
    for (const name of ['before', 'clicked', 'others'] as const) all[name].push(...measured[name]);
    console.log(site, measured.before.length);
  }
  for (const [name, answers] of Object.entries(all)) {
    const sure = answers.filter(({ isSure }) => isSure);
    const figures = [
      mean(answers.map(({ first }) => Number(first))),
      mean(answers.map(({ three }) => Number(three))),
      sure.length / answers.length,
      mean(sure.map(({ first }) => Number(first))),
    ];
    console.log(name, answers.length, figures.map((figure) => figure.toFixed(3)).join(' '));
  }
} finally {
  await stop();
}
