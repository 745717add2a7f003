import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import type { PathCounts } from '#src/base/glossary.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { changeProject } from '#src/projects/projects.js';
import { pushPages } from './learned-redirects.js';
import type { Answer, TestProject } from './service.js';
import { sharedService } from './shared-service.js';

/** The site of the pages that support/learned-redirects.ts pushes. */
export const SITE = 'https://shop.example';

export interface ProjectWithRules {
  project: TestProject;
  /** Calls an operation of /v1/rules. */
  rules: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Adds rules; fails if one is refused. */
  add: (...added: object[]) => Promise<Answer['body']>;
  /** Returns the answer of the proxy, such as `301 /new`. */
  proxy: (url: string) => Promise<string>;
  /** Sets whether upper and lower case, and a slash at the end, matter in paths. */
  setMatching: (counts: PathCounts | null) => Promise<void>;
}

/** A project with five pages and a key with the scope `rules`. */
export async function projectWithRules(): Promise<ProjectWithRules> {
  const project = await sharedService().newProject({ scopes: ['read', 'write', 'rules'] });
  await pushPages(project, '/new', '/shop/7/', '/shop/8/', '/guide/start', '/other');
  const rules: ProjectWithRules['rules'] = (method, path, body) => project.call(method, `/v1/rules${path}`, body);
  return {
    project,
    rules,
    add: async (...added) => {
      const answer = await rules('POST', '', { rules: added });
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    },
    proxy: async (url) => {
      const answer = await project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`);
      return `${answer.status} ${(answer.headers.get('location') ?? '').replace(SITE, '')}`.trim();
    },
    setMatching: async (counts) => {
      const { db, deps } = sharedService().service;
      const matching = { path_case: counts, path_slash: counts };
      await inTransaction(db, (trx) => changeProject(trx, onCommandLine(), project.row, matching));
      await deps.indexChanges.committedAndVisible(project.row.project_id);
    },
  };
}
