import { setTimeout as pause } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { random } from '../../../seeded.js';
import { writeManyPages } from '../../../service/index-many-pages.js';
import { createUnlimitedProject, runCommand } from '../../../service/service-process.js';

const PROJECTS = 3;
/** Pages that come and go: about as many are there at any time. */
const PAGES = 200;
/** Visitors mostly ask what others asked before them. */
const COMMON_PATHS = 300;
const KEY_EVERY_MS = 15_000;

interface Page {
  url: string;
  content: string;
}

interface Project {
  name: string;
  key: string;
  searchId: string | undefined;
}

/** Requests of every kind, so many a second, until stopped; how often each was answered with what. */
export async function startTraffic(
  base: string,
  environment: NodeJS.ProcessEnv,
  perSecond: number,
): Promise<{ stop: () => Promise<Record<string, number>> }> {
  const projects: Project[] = [];
  for (let i = 0; i < PROJECTS; i++)
    projects.push({
      name: `soak-${i}`,
      key: await createUnlimitedProject(`soak-${i}`, environment),
      searchId: undefined,
    });
  const { file, paths, remove } = await writeManyPages(PAGES, COMMON_PATHS);
  const pages = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Page);
  await remove();

  const next = random(1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const counts: Record<string, number> = {};
  let number = 0;

  async function send(
    project: Project,
    method: string,
    path: string,
    body?: unknown,
    key = project.key,
  ): Promise<void> {
    const answer = await fetch(base + path, {
      method,
      redirect: 'manual',
      headers: { Authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }).catch(() => undefined);
    const text = (await answer?.text().catch(() => '')) ?? '';
    const found = /"search_id":"([^"]+)"/.exec(text)?.[1];
    if (found !== undefined) project.searchId = found;
    const kind = `${path.split('?')[0] ?? ''} ${answer?.status ?? 0}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }

  /** One request, as common as its share of the list. */
  const KINDS: ((project: Project) => Promise<void>)[] = [
    ...Array<(project: Project) => Promise<void>>(6).fill((p) => send(p, 'POST', '/v1/suggest', { path: pick(paths) })),
    ...Array<(project: Project) => Promise<void>>(3).fill((p) =>
      send(p, 'POST', '/v1/suggest', { path: `${pick(paths)}-${number}` }),
    ),
    (p) => send(p, 'POST', '/v1/semantic-search', { query: `${pick(paths).replace(/[^a-z]+/g, ' ')} ${number}` }),
    (p) => send(p, 'GET', `/v1/search?query=${encodeURIComponent(pick(paths))}`),
    (p) => send(p, 'POST', '/v1/retrieve', { query: pick(paths), top_k: 5 }),
    (p) => send(p, 'GET', `/v1/proxy?url=${encodeURIComponent(pick(paths))}`),
    (p) => send(p, 'POST', '/v1/events', { raw_path: pick(paths), user_ip: '198.51.100.7', user_agent: 'soak' }),
    (p) =>
      send(p, 'POST', '/v1/events', {
        raw_path: pick(paths),
        clicked_url: pick(pages).url,
        clicked_rank: 1,
        search_id: p.searchId ?? '00000000-0000-4000-8000-000000000000',
      }),
    (p) => send(p, 'POST', '/v1/pages/upsert', pick(pages)),
    (p) =>
      send(p, 'POST', '/v1/pages/upsert', { ...pick(pages), content: `Version ${number}. ${pick(pages).content}` }),
    (p) => send(p, 'DELETE', '/v1/pages/delete', { url: pick(pages).url }),
    (p) => send(p, 'POST', '/v1/suggest', '{"path": '),
    (p) => send(p, 'POST', '/v1/suggest', { path: '/x' }, 'pm_live_nonsense'),
    (p) => send(p, 'PUT', '/v1/events'),
  ];

  const stopping = new AbortController();
  const under = new Set<Promise<void>>();
  const sending = (async () => {
    for (let due = performance.now(); !stopping.signal.aborted; due += 1000 / perSecond, number++) {
      const request = pick(KINDS)(pick(projects)).finally(() => under.delete(request));
      under.add(request);
      await pause(Math.max(0, due - performance.now()));
    }
    await Promise.all(under);
  })();
  /** Keys come and go; one that was revoked is refused, and nothing of it stays in a lease. */
  const keys = (async () => {
    while (!stopping.signal.aborted) {
      const project = pick(projects);
      const { key, id } = (await runCommand(
        ['key', 'create', '--project', project.name, '--mode', 'live'],
        environment,
      )) as { key: string; id: string };
      await send(project, 'POST', '/v1/suggest', { path: pick(paths) }, key);
      await runCommand(['key', 'revoke', '--key', id], environment);
      await send(project, 'POST', '/v1/suggest', { path: pick(paths) }, key);
      await pause(KEY_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([sending, keys]);
      return counts;
    },
  };
}
