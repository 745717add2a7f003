import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { pushPages } from '../../../support/learned-redirects.js';
import { runInProcess } from '../../../support/commands.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { startWebServer, webServerProgram } from '../../../support/web-servers.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const SITE = 'https://shop.example';
const HOST = 'old.example';

/** Redirects as rows of a file that a person imports, with every kind of field. */
const ROWS = [
  {
    path: '/offer',
    host: HOST,
    query: { year: '2026' },
    target: '/new/x#prices',
    code: 302,
    valid_until: '2999-01-31',
  },
  { path: '/offer', target: '/new/y' },
  { path: '/p-:id.html', match: 'pattern', target: '/new/:id', code: 308, host: HOST },
  { path: '/pass', target: '/new/x#prices', pass_query: true },
  { path: '/law', action: 'gone', code: 451 },
  { path: '/away', target: 'https://cdn.example.net/a.pdf#page=2', code: 307 },
];

/** The request, its host, and the answer. */
const ASKED = [
  ['/offer?x=1&year=2026', HOST, `302 ${SITE}/new/x#prices`],
  ['/offer?year=2025', HOST, `301 ${SITE}/new/y`],
  ['/offer?year=2026', 'other.example', `301 ${SITE}/new/y`],
  ['/p-z.html', HOST, `308 ${SITE}/new/z`],
  ['/pass?a=1', 'other.example', `301 ${SITE}/new/x?a=1#prices`],
  ['/law', 'other.example', '451'],
  ['/away', 'other.example', '307 https://cdn.example.net/a.pdf#page=2'],
] as const;

describe('a rule with host, code, dates, query and section', () => {
  let project: TestProject;
  const folder = temporaryFolder();

  before(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/new/x', '/new/y', '/new/z');
    const file = join(folder, 'rules.jsonl');
    await writeFile(file, ROWS.map((row) => JSON.stringify(row)).join('\n'));
    const { code, stderr } = await run('import', file);
    expect(code, stderr).to.equal(0);
  });
  const run = (command: string, ...args: string[]): ReturnType<typeof runInProcess> =>
    runInProcess(['redirects', command, '--project', project.row.name, ...args]);

  it('is answered live as it was imported', async () => {
    for (const [path, host, answer] of ASKED) {
      const { status, headers } = await project.call(
        'GET',
        `/v1/proxy?url=${encodeURIComponent(`https://${host}${path}`)}`,
      );
      expect(`${status} ${headers.get('location') ?? ''}`.trim(), `${host}${path}`).to.equal(answer);
    }
  });

  for (const [format, name] of [
    ['nginx', 'nginx'],
    ['apache', 'apache2'],
    ['caddy', 'caddy'],
    ['haproxy', 'haproxy'],
  ] as const)
    it(`is answered by a real ${format} as pathmend does`, async function () {
      if (webServerProgram(name) === undefined && process.env['CI'] !== 'true') this.skip();
      const exported = await run('export', '--format', format, '--absolute');
      const server = await startWebServer(name, exported.stdout);
      try {
        for (const [path, host, answer] of ASKED) {
          const { status, location = '' } = await server.ask(path, host);
          expect(`${status} ${location}`.trim(), `${format} ${host}${path}`).to.equal(answer);
        }
      } finally {
        await server.stop();
      }
    });
});
