import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ExportFormat } from '#src/rule-formats/write/formats.js';
import { askTraefik } from '../../support/ask-traefik.js';
import { GuidesSite } from '../../support/guides.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startWebServer, webServerProgram, type WebServer } from '../../support/web-servers.js';

const THERE = 'https://elsewhere.example';

/** Each form of a target, and paths that its rule is for, or is not. */
const FORMS: readonly (readonly [rule: string, ...paths: string[]])[] = [
  [`/b1/* ${THERE}/guides/:splat/`, '/b1/brakes', '/b1/a/b', '/b1/caf%C3%A9%20x', '/b1/a+b', '/b1x'],
  [`/b2/* ${THERE}/guides/:splat?ref=old`, '/b2/brakes', '/b2/a/b'],
  [`/b3/* ${THERE}/guides/:splat.html`, '/b3/brakes', '/b3/a/b?x=1'],
  [`/b4/* ${THERE}/guides/:splat#top`, '/b4/brakes'],
  [`/b5/* ${THERE}/x/:splat/y/:splat`, '/b5/brakes', '/b5/a/b'],
  [`/b6/* ${THERE}/p-:splat`, '/b6/brakes'],
  [`/b7/* ${THERE}/search?q=:splat&a=b#c`, '/b7/brakes'],
  [`/b8/* ${THERE}/:splat/end`, '/b8/brakes', '/b8//x', '/b8/'],
  [`/b9/* ${THERE}/plain/:splat`, '/b9/brakes', '/b9/', '/b9/a/b/'],
  [`/b10/* ${THERE}/fixed?a=b#c`, '/b10/x', '/b10/'],
  [`/n/:number/* ${THERE}/:number/:splat`, '/n/7/x', '/n/x/y'],
  [`/m/:number/* ${THERE}/m/:splat`, '/m/7/x', '/m/x/y'],
  [`/p-:id.html ${THERE}/shop/:id.aspx?id=:id#p-:id`, '/p-7.html', '/p-7.htm'],
  [`/d/:a/:b ${THERE}/:b/:a`, '/d/one/two', '/d/one'],
  [`/e/:a/:b ${THERE}/:a:b`, '/e/one/two'],
  [`/h/*.php ${THERE}/h/:splat/`, '/h/a/b.php', '/h/a'],
];

/** Rules whose targets begin with what the path says: none may lead to the host that a path names. */
const AT_ROOT = ['/x/* /:splat', '/y/* /:splat/', '/z-* /:splat', '/v/:a/:b /:a/:b', '/w/:number/* /:splat'];
const OPEN = ['/x/', '/y/', '/z-', '/v/', '/w/1/'].flatMap((beginning) =>
  [
    '/evil.example/a',
    '//evil.example/a',
    '\\evil.example/a',
    '/\\/evil.example/a',
    '%2Fevil.example/a',
    '%5Cevil.example/a',
  ]
    .map((rest) => beginning + rest)
    .concat(`${beginning}%2F%2Fevil.example`, `${beginning}\\`, `${beginning}//`),
);

const SERVERS = [
  ['nginx', 'nginx'],
  ['apache2', 'apache'],
  ['caddy', 'caddy'],
  ['haproxy', 'haproxy'],
  [undefined, 'traefik'],
] as const;

describe('each form of a target, live and in exports', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let site: GuidesSite;

  before(async () => {
    site = await GuidesSite.open(folder, {
      '/evil.example/a': ['Evil', 'A page that is called as a host is.'],
      '/brakes': ['Brakes', 'All about brakes on one page at the root.'],
    });
    const { code, stderr } = await site.import(...FORMS.map(([rule]) => rule), ...AT_ROOT);
    expect(code, stderr).to.equal(0);
  });

  const exported = async (format: ExportFormat): Promise<{ text: string; code: number; stderr: string }> => {
    const { stdout, code, stderr } = await site.run('export', '--format', format);
    return { text: stdout, code: code ?? -1, stderr };
  };

  for (const [name, format] of SERVERS)
    describe(`in ${format}`, () => {
      let server: WebServer | undefined;
      let ask: WebServer['ask'];

      before(async function () {
        // .ci/run fetches the servers; elsewhere they are asked of who has them.
        if (name !== undefined && webServerProgram(name) === undefined && process.env['CI'] !== 'true') this.skip();
        const { text, code, stderr } = await exported(format);
        expect(code, stderr).to.equal(0);
        // nginx would make full urls of paths, and hide where a browser goes.
        if (name) server = await startWebServer(name, format === 'nginx' ? `absolute_redirect off;\n${text}` : text);
        ask = (path) => server?.ask(path) ?? Promise.resolve(askTraefik(text, path));
      });

      after(() => server?.stop());

      it('leads where the live rule does', async () => {
        for (const path of FORMS.flatMap(([, ...paths]) => paths)) {
          const { status, location } = await ask(path);
          const answer = location === undefined ? String(status) : `${status} ${location}`;
          expect(answer, path).to.equal(await site.proxy(path));
        }
      });

      it('lets no path name the host that it leads to', async () => {
        for (const path of OPEN) {
          const { location = '/' } = await ask(path);
          expect(new URL(location, 'https://www.example.com').hostname, `${path}: ${location}`).to.be.oneOf([
            'www.example.com',
            '127.0.0.1',
          ]);
        }
        for (const path of ['/x/brakes', '/x//brakes', '/w/1/brakes', '/w/1//brakes', '/v/brakes/x'])
          expect((await ask(path)).location, path).to.match(/(?<!\/)\/brakes(?:$|\/x$)/);
      });
    });

  it('lets no path name the host that it leads to, live', async () => {
    for (const path of OPEN)
      for (const answer of [await site.proxy(path), await site.notFound(path)])
        expect(answer, path).to.match(/^(?:404|30[12] https:\/\/www\.example\.com\/)/);
  });

  it('names no host by a path in files of hosts, which cannot pass slashes over', async () => {
    for (const format of ['netlify', 'vercel', 'cloudflare'] as const) {
      const { text } = await exported(format);
      expect(text, format)
        .to.match(/https:\/\/www\.example\.com\/:(?:splat|rest)/)
        .and.not.match(/[" ]\/:/);
    }
    expect((await exported('iis')).text).to.include(String.raw`^x/[/\x5C]*(.*)$`);
  });

  it('comes back from CSV, JSON and the files that are read again as the rule that it was', async () => {
    for (const format of ['csv', 'json', 'iis'] as const) {
      const { text } = await exported(format);
      const file = join(folder, `again.${format === 'iis' ? 'config' : format}`);
      await writeFile(file, text);
      const { code, stdout, stderr } = await site.run(
        'import',
        '--json',
        ...(format === 'json' ? ['--format', 'json'] : []),
        file,
      );
      const { bad, created, updated } = JSON.parse(stdout) as Record<string, number>;
      const changed = { code, bad, created, updated };
      expect(changed, `${format}: ${stderr}`).to.deep.equal({ code: 0, bad: 0, created: 0, updated: 0 });
    }
  });
});
