import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '#src/app/service.js';
import { createPageId } from '#src/pages/check-page.js';
import { embedPage } from '#src/pages/indexing/embed-page.js';
import { createEmptyProject, mapConcurrently } from '../../eval/index-site.js';
import { callFor, generate, jsonHeaders, type Figures } from '../harness.js';

/** The number of pages that are embedded at once: as many as the vectorizing job embeds together. */
const AT_ONCE = 16;
const content = 'A page about lanterns, their wicks and their glass. '.repeat(28);
let projects = 0;

export async function readPages(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { content: string }).content);
}

/** The floor of indexing: the same pages embedded, in the same process, and nothing done with their vectors. */
export async function embedPages({ models }: Service, model: string, contents: readonly string[]): Promise<Figures> {
  const { modelId } = await models.named(model);
  const from = performance.now();
  await mapConcurrently(contents, AT_ONCE, (text) =>
    embedPage(models, modelId, 'page', { content: text, title: null, slugWords: '' }),
  );
  return { per_second: (contents.length * 1000) / (performance.now() - from) };
}

/** Upserts new pages through HTTP; each is answered 202. Afterwards it waits until they are indexed, unmeasured. */
export async function upsertLoad(service: Service, connections: number, seconds: number): Promise<Figures> {
  const { key } = await createEmptyProject(service, `upserts ${projects++}`);
  const { perSecond, p95, failed } = await generate({
    url: `${service.url}/v1/pages/upsert`,
    headers: jsonHeaders(key),
    bodies: [JSON.stringify({ url: 'https://upserts.example/page-#', content })],
    numbered: true,
    connections,
    seconds,
  });
  if (failed > 0) throw new Error(`${failed} upserts were refused`);
  await allIndexed(service);
  return { per_second: perSecond, p95_ms: p95 };
}

export async function allIndexed({ database }: Service): Promise<void> {
  const waiting = `select exists (select from pathmend.pages where status in ('PENDING_VECTORIZATION', 'PROCESSING')) as any`;
  while ((await database.connection.pool.query<{ any: boolean }>(waiting)).rows[0]?.any) await pause(200);
}

/** The floor of upserts: the same rows by INSERT, one a statement, through the service's pool and as many at once. */
export async function insertFloor(service: Service, connections: number, seconds: number): Promise<Figures> {
  const { projectId } = await createEmptyProject(service, `upserts ${projects++}`);
  let rows = 0;
  const { perSecond } = await callFor(connections, seconds, () => {
    const url = `https://upserts.example/${rows++}`;
    const hash = createHash('sha256').update(url).digest();
    return service.database.connection.pool.query(
      `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
       values ($1, $2, $3, $4, $4, $5, $6, 'INDEXED')`,
      [projectId, createPageId(Date.now()), url, hash, content, createHash('sha256').update(content).digest()],
    );
  });
  return { per_second: perSecond };
}

/** Milliseconds of a call that is made each `every` ms, for so many seconds or until a promise is settled. */
export async function timesOf(
  call: () => Promise<unknown>,
  every: number,
  until: number | Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  const end = new AbortController();
  const over = (): void => {
    end.abort();
  };
  (typeof until === 'number' ? pause(until * 1000) : until).then(over, over);
  while (!end.signal.aborted) {
    const from = performance.now();
    await call();
    times.push(performance.now() - from);
    await pause(every);
  }
  return times;
}
