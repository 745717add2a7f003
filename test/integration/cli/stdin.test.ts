import { gzipSync } from 'node:zlib';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import { writeFiles } from '../../unit/sources/read-all.js';

const left = async (): Promise<string[]> => (await readdir(tmpdir())).filter((name) => /^pathmend-.{6}$/.test(name));

describe('every command that takes a file takes - for standard input', function () {
  this.timeout(120_000);

  it('and leaves no copy of it', async () => {
    const { row } = await sharedService().newProject();
    const { environment } = sharedService().database;
    const before = await left();
    const run = async (input: string, ...args: string[]): Promise<Record<string, unknown>> => {
      const { code, stdout, stderr } = await runInProcess([...args, '--json'], environment, input);
      expect(code, stderr).to.equal(0);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const project = ['--project', row.name];
    const page = { url: 'https://shop.example/help', content: 'Help is here.' };
    const log = '192.0.2.7 - - [26/Nov/2026:12:00:00 +0000] "GET /halp HTTP/1.1" 404 0 "-" "Mozilla/5.0"\n';
    expect(await run(`${JSON.stringify(page)}\n`, 'pages', 'import', '-', ...project)).to.include({ created: 1 });
    expect(await run(`${JSON.stringify(page)}\n`, 'pages', 'sync', '-', ...project)).to.include({ unchanged: 1 });
    expect(await run('/hilfe /help\n', 'redirects', 'import', '-', ...project)).to.include({ created: 1 });
    expect(await run('/helpp\n', 'redirects', 'map', '-', ...project)).to.include({ urls: 1 });
    expect(await run(log, 'events', 'import', '-', ...project)).to.include({ lines: 1 });
    const site = await mkdtemp(join(tmpdir(), 'pathmend-two-builds-'));
    await writeFiles(site, { 'before/a.html': '<p>A', 'before/b.html': '<p>B', 'after/b.html': '<p>B' });
    const builds = ['--before', join(site, 'before'), '--after', join(site, 'after'), '--redirects', '-'];
    expect(await run('/a.html /b.html\n', 'redirects', 'check', ...builds)).to.include({ redirects: 1 });
    await rm(site, { recursive: true });
    const packed = await runInProcess(['redirects', 'import', '-', ...project], environment, gzipSync('/a /b\n'));
    expect(packed.code).to.equal(1);
    expect(packed.stderr).to.match(/^stdin is compressed/m);
    expect(await left()).to.deep.equal(before);
  });
});
