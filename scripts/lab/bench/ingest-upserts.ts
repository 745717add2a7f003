import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { countPagesByStatus } from '#src/pages/store/page-counts.js';
import { insertProject } from '#src/projects/store/projects.js';
import { createKey } from '#src/projects/keys.js';
import { createPageId } from '#src/pages/check-page.js';
import type { Service } from '#src/app/service.js';
import { generate, type Figures } from './harness.js';

const NO_LIMIT = { plan: 'enterprise' as const, read_rate: 1e6, read_burst: 1e6, write_rate: 1e6, write_burst: 1e6 };
const content = 'A page about lanterns, their wicks and their glass. '.repeat(28);
let made = 0;

async function newProject({ db }: Service): Promise<{ projectId: string; key: string }> {
  const project = await insertProject(db, { name: `upserts ${made++}`, ...NO_LIMIT });
  if (!project) throw new Error('the project could not be made');
  const { key } = await createKey(db, {
    projectId: project.project_id,
    mode: 'live',
    scopes: ['read', 'write'],
    expiresAt: null,
  });
  return { projectId: project.project_id, key };
}

/** New pages through HTTP, each answered 202. What they leave to be indexed is waited for, outside the time. */
export async function upsertLoad(service: Service, connections: number, seconds: number): Promise<Figures> {
  const { projectId, key } = await newProject(service);
  const bodies = [JSON.stringify({ url: 'https://upserts.example/page-#', content })];
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const { perSecond, p95, failed } = await generate({
    url: `${service.url}/v1/pages/upsert`,
    headers,
    bodies,
    numbered: true,
    connections,
    seconds,
  });
  if (failed > 0) throw new Error(`${failed} upserts were refused`);
  for (;;) {
    const counts = await countPagesByStatus(service.db, projectId);
    if (counts.PENDING_VECTORIZATION + counts.PROCESSING === 0) break;
    await pause(200);
  }
  return { per_second: perSecond, p95_ms: p95 };
}

/** The same rows by INSERT, one a statement, through the same pool and as many at once. */
export async function insertFloor(service: Service, connections: number, seconds: number): Promise<Figures> {
  const { projectId } = await newProject(service);
  const { pool } = service.database.connection;
  const from = performance.now();
  let rows = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - from < seconds * 1000) {
        const url = `https://upserts.example/${rows++}`;
        const hash = createHash('sha256').update(url).digest();
        await pool.query(
          `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
           values ($1, $2, $3, $4, $4, $5, $6, 'INDEXED')`,
          [projectId, createPageId(Date.now()), url, hash, content, createHash('sha256').update(content).digest()],
        );
      }
    }),
  );
  return { per_second: (rows * 1000) / (performance.now() - from) };
}
