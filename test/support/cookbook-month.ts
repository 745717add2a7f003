import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Service } from '#src/app/service.js';
import type { VisitorEvent } from '#src/events/read-event.js';
import { recordEvent } from '#src/events/record-events-job.js';
import type { RecordEventPayload } from '#src/events/store-events.js';
import { createKey } from '#src/projects/keys.js';
import { emptyReport } from '#src/rules/import-export/redirect-report.js';
import { storeBatch } from '#src/rules/import-export/import-redirects.js';
import { ruleOf } from '#src/rules/rule-keys.js';
import type { SearchRow } from '#src/search/store/searches.js';
import { pathKey } from '#src/text/paths/plain-path.js';
import { AGENTS, GROUPS, PAGES, RULES, SITE, type Group } from '../fixtures/cookbook/month.js';
import { eventsStored } from './demo-month.js';
import type { TestService } from './service.js';
import { query } from './sql.js';

/** Makes the project `demo` with the pages, rules, searches, 404s and clicks of the fixture. Returns its id. */
export async function recordCookbookMonth(test: TestService): Promise<string> {
  const { service } = test;
  const project = await test.newProject();
  const projectId = project.row.project_id;
  await project.query(`update pathmend.projects set name = 'demo' where project_id = $1`);
  for (const { path, title, content, updated } of PAGES) {
    await project.upsert({ url: SITE + path, title, content });
    if (updated !== undefined)
      await project.query(
        'update pathmend.pages set updated_at = $3 where project_id = $1 and url = $2',
        SITE + path,
        updated,
      );
  }
  await project.indexed();
  for (const { path, target, at } of RULES) {
    const rule = ruleOf({ kind: 'exact', path, action: target === null ? 'gone' : 'redirect', target });
    const importing = { db: service.db, clock: { now: () => Date.parse(at) }, origin: 'import' as const };
    await storeBatch(importing, projectId, [{ line: 1, rule }], emptyReport());
  }
  service.deps.indexChanges.committed(projectId);
  const keys = { web: '', app: '' };
  for (const name of ['web', 'app'] as const)
    keys[name] = (
      await createKey(service.db, { projectId, name, mode: 'live', scopes: ['read'], expiresAt: null })
    ).row.key_id;
  const pageIds = await idsOfPages(service, projectId);
  const events = GROUPS.flatMap((group) =>
    Array.from({ length: group.n }, (_, i) => visit(service, projectId, keys[group.key], pageIds, group, i)).flat(),
  );
  await Promise.all([service.deps.log.flush(), service.deps.ruleHits.flush()]);
  await service.queue.enqueueNow(recordEvent, events);
  service.queue.wake(recordEvent);
  await eventsStored(service);
  return projectId;
}

async function idsOfPages(service: Service, projectId: string): Promise<Map<string, string>> {
  const rows = await query<{ url: string; page_id: string }>(
    service,
    'select url, page_id from pathmend.pages where project_id = $1',
    [projectId],
  );
  expect(rows).to.have.length(PAGES.length);
  return new Map(rows.map(({ url, page_id }) => [url.slice(SITE.length), page_id]));
}

/** Logs the search of a visit, the first of a group uncached; returns its 404, and its click if it has one. */
function visit(
  { deps }: Service,
  projectId: string,
  keyId: string,
  pageIds: ReadonlyMap<string, string>,
  group: Group,
  number: number,
): RecordEventPayload[] {
  const { path, question, results, tookMs = 0, outcome, agent = 'browser', clicks = [0, 0] } = group;
  const at = new Date(Date.parse(group.at) + number * 60_000).toISOString();
  const searchId = randomUUID();
  const isRobot = agent !== 'browser';
  if (results) {
    const row: SearchRow = {
      project_id: projectId,
      search_id: searchId,
      searched_at: at,
      kind: question ? 'semantic-search' : 'suggest',
      is_test: false,
      input: path,
      understood: path,
      filtered: false,
      threshold: 0.1,
      results: results.map(([url, score]) => ({ page_id: pageIds.get(url) ?? '', url, score })),
      best_score: results[0]?.[1] ?? null,
      cached: number > 0,
      took_ms: number > 0 ? 1 : tookMs,
      of_others: isRobot,
      redirected: false,
      would_redirect: false,
      key_id: keyId,
    };
    deps.log.add(row);
    if (group.byRule) deps.ruleHits.add(projectId, pathKey(path), Date.parse(at));
  }
  const [clicked, rank] = clicks;
  const send = (event: VisitorEvent): RecordEventPayload => ({
    eventId: randomUUID(),
    projectId,
    keyId,
    isTest: false,
    receivedAt: at,
    event,
  });
  const origin = `https://${group.host ?? 'www.kettleandpine.example'}`;
  const missed = send({
    type: 'not-found',
    rawPath: path,
    origin,
    referrer: group.referrer ?? null,
    userAgent: AGENTS[agent],
    visitorIp: null,
    occurredAt: at,
    ...(results && { searchId }),
    ...(outcome && { outcome }),
  });
  const url = results?.[rank - 1]?.[0] ?? '';
  const common = { origin, rawPath: path, searchId, occurredAt: at };
  const click = send({ type: 'click', clickedUrl: url, clickedRank: rank, ...common });
  return [...(question ? [] : [missed]), ...(number < clicked ? [click] : [])];
}
