import { join } from 'node:path';
import { DEMO } from '../../accounts/actor.js';
import { endKey, makeKey } from '../../projects/keys.js';
import { makeProject } from '../../projects/projects.js';
import { listKeys } from '../../projects/store/keys.js';
import { findProject } from '../../projects/store/projects.js';
import { createPasswords, mintSecret } from '../../accounts/credentials.js';
import { setAdmin } from '../../accounts/users.js';
import { DEFAULT_PLAN, ratesOf } from '../../projects/plans.js';
import { packageRoot } from '../../base/package-root.js';
import { createPageCheck } from '../../pages/check-page.js';
import { upsertPages } from '../../pages/upsert-pages.js';
import { proposeRules } from '../../rules/proposals/propose-rules-job.js';
import type { Service } from '../service.js';
import { readExampleSite, readVectors } from './example-site.js';
import { GENERATED_ORIGIN } from '../../analytics/store/projects-overview.js';
import { recordTraffic } from './record-traffic.js';

const PROJECT = 'demo';

/** The next start recognizes its key by this name: it must revoke no other key. */
const KEY_NAME = 'demo, valid until the next start';

/**
 * Creates the demo project, unless it exists, and pushes the bundled example site to it. A key is shown only once, so
 * every start creates a new key and revokes the key of the start before. Keys that people made stay valid.
 * @param vectors whether the vectors that come with the site are used
 */
export async function prepareDemo(service: Service, { vectors = true } = {}) {
  const { db, deps } = service;
  const project =
    (await findProject(db, PROJECT)) ??
    (await makeProject(db, DEMO, { name: PROJECT, plan: DEFAULT_PLAN, ...ratesOf(DEFAULT_PLAN, {}) }));
  for (const key of await listKeys(db, project.project_id))
    if (key.name === KEY_NAME && key.revoked_at === null) await endKey(db, DEMO, { id: key.key_id });
  const { key } = await makeKey(db, DEMO, project, {
    name: KEY_NAME,
    mode: 'live',
    scopes: ['read', 'write'],
    expiresAt: null,
  });
  const folder = join(packageRoot(), 'examples', 'shop');
  const site = await readExampleSite(folder);
  if (vectors) {
    const known = await readVectors(folder);
    service.models.keep(known.fingerprint, known.vectors);
  }
  const check = createPageCheck();
  const pages = site.pages.map((page) => check(page));
  await upsertPages(deps, deps.tenants.of(project.project_id), pages, 'bulk');
  // There is none where the console is off.
  const login = service.consoleUrl === undefined ? undefined : await prepareLogin(service);
  return { projectId: project.project_id, key, login, siteName: site.name, pages: pages.length };
}

/** Prepares the login of an administrator. Its password is shown only once, so every start sets a new one. */
async function prepareLogin({ db }: Service): Promise<{ email: string; password: string }> {
  const email = 'demo@example.com';
  const password = mintSecret().slice(0, 16);
  const hash = await createPasswords().hash(password, '');
  await setAdmin(db, DEMO, email, hash);
  return { email, password };
}

/** Records the demo's generated traffic, if the demo's project exists. */
export async function recordDemoTraffic(service: Service, retentionDays: number, signal: AbortSignal): Promise<void> {
  const project = await findProject(service.db, PROJECT);
  if (!project) return;
  const projectId = project.project_id;
  const visits = await recordTraffic(service, { projectId, retentionDays, signal });
  // So the console shows the proposals that otherwise a nightly job makes.
  if (visits > 0 && !signal.aborted) await proposeRules({ ...service.deps, db: service.db }, projectId);
}

/** The text that the demo prints: the console and its login, then three calls to try. */
export function demoText(service: Service, demo: Awaited<ReturnType<typeof prepareDemo>>): string {
  const call = (path: string, body: object): string =>
    [
      `  curl -s ${service.url}/v1/${path} \\`,
      `    -H 'Authorization: Bearer ${demo.key}' \\`,
      `    -d '${JSON.stringify(body)}'`,
    ].join('\n');
  const { login } = demo;
  const atConsole = login
    ? `The console: ${service.consoleUrl ?? ''}\n  e-mail address ${login.email}\n  password ${login.password}\n\n`
    : '';
  return `
${atConsole}pathmend is ready at ${service.url}
The project "${PROJECT}" holds ${demo.siteName}, ${demo.pages} pages. Its API key, valid until the next start:

  ${demo.key}

1. Recover a visitor from a dead link:

${call('suggest', { path: '/support/machines/fellside-error-code-list' })}

2. Ask a question:

${call('semantic-search', { query: 'my grinder hums but the burrs do not turn' })}

3. Retrieve whole documents, for an assistant:

${call('retrieve', { query: 'how do I clean the steam wand', top_k: 1 })}

pathmend is now adding a month of generated traffic, for the analytics: docs/reference/analytics.md has queries. Its 404s and
clicks have the origin ${GENERATED_ORIGIN}.

Next, your own site: *New project* in the console, or docs/start/first-site.md. Ctrl-C stops.
`;
}
