import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { misspeltSettings } from '#src/platform/settings/effective-settings.js';
import { maskPassword, withSecretFiles } from '#src/platform/settings/secret-files.js';
import { OperatorError } from '#src/base/errors.js';
import { packageRoot } from '#src/base/package-root.js';
import { shellBlocks, typeBlock } from '../../../support/document.js';
import { cliJson, runCli } from '../../../support/processes.js';
import { mustStaySecret } from '../../../support/said-aloud.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('secrets in files, and config', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  let url: string;
  const password = `p@ss:w/o?r&d#%25 ${randomUUID()}`;

  before(() => {
    mustStaySecret(password);
    mustStaySecret(encodeURIComponent(password));
    url = `postgres://me:${encodeURIComponent(password)}@db.example:6432/pages`;
  });

  async function file(content: string | Buffer, name: string = randomUUID()): Promise<string> {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  }

  const refusal = (environment: Record<string, string>): string => {
    try {
      withSecretFiles(environment);
    } catch (error) {
      expect(error).to.be.instanceOf(OperatorError);
      return (error as Error).message;
    }
    throw new Error('nothing was refused');
  };

  it('are read without the end of their line: the url, and the password that a url lacks', async () => {
    expect(withSecretFiles({ DATABASE_URL_FILE: await file(`${url}\n`) })['DATABASE_URL']).to.equal(url);
    const PGPASSWORD_FILE = await file(`${password}\r\n`);
    const filled = (databaseUrl: string): URL =>
      new URL(withSecretFiles({ DATABASE_URL: databaseUrl, PGPASSWORD_FILE })['DATABASE_URL'] ?? '');
    for (const databaseUrl of ['postgres://me@db/pages', 'postgres://db/pages?sslmode=verify-full'])
      expect(filled(databaseUrl).searchParams.get('password'), databaseUrl).to.equal(password);
    for (const databaseUrl of [url, 'postgres://db/pages?password=other'])
      expect(filled(databaseUrl).href, 'its own goes first').to.equal(new URL(databaseUrl).href);
    expect(withSecretFiles({ PGPASSWORD_FILE })['DATABASE_URL'], 'the embedded database has none').to.equal('');
    const headers = { OTEL_EXPORTER_OTLP_HEADERS_FILE: await file('authorization=Bearer%20of-the-collector\n') };
    expect(withSecretFiles(headers)['OTEL_EXPORTER_OTLP_HEADERS']).to.equal('authorization=Bearer%20of-the-collector');
  });

  it('are refused with the name of the variable and the file, never with what stands in it', async () => {
    const empty = await file('\n');
    const lines = await file(`${password}\nmore`);
    const large = await file(Buffer.alloc(70_000, 'a'));
    const pipe = join(folder, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    expect(refusal({ DATABASE_URL: url, DATABASE_URL_FILE: lines })).to.equal(
      'DATABASE_URL and DATABASE_URL_FILE are both set: keep one of them.',
    );
    const reasons: [string, string][] = [
      ['/nowhere/secret', 'which does not exist'],
      [folder, 'which is not a file'],
      [pipe, 'which is not a file'],
      [large, 'which is too large for a secret'],
      [empty, 'which is empty'],
      [lines, 'which holds more than one line'],
    ];
    for (const [path, reason] of reasons)
      for (const name of ['DATABASE_URL_FILE', 'PGPASSWORD_FILE'])
        expect(refusal({ [name]: path })).to.equal(`${name} names ${JSON.stringify(path)}, ${reason}.`);
    const { code, stdout, stderr } = await runCli(['project', 'list'], { DATABASE_URL_FILE: lines });
    expect([code, stdout, stderr]).to.deep.equal([
      1,
      '',
      `DATABASE_URL_FILE names ${JSON.stringify(lines)}, which holds more than one line.\n`,
    ]);
    expect((await runCli(['config'], { DATABASE_URL_FILE: await file('mysql://me@db/x') })).stderr).to.match(
      /DATABASE_URL: must be a url that begins with postgres:\/\/, not what was given/,
    );
  });

  it('have names that are told when they are misspelt', () => {
    expect(misspeltSettings({ DATABASE_URL_FIEL: 'x', PGPASWORD_FILE: 'y' })).to.deep.equal([
      'DATABASE_URL_FIEL is not a setting; did you mean DATABASE_URL_FILE?',
      'PGPASWORD_FILE is not a setting; did you mean PGPASSWORD_FILE?',
    ]);
  });

  it('config says each setting and where it comes from, and shows no secret', async () => {
    const DATABASE_URL_FILE = await file(url);
    const environment = { DATABASE_URL_FILE, LOG_LEVEL: 'warn', PGSSLMODE: 'verify-full', DATA_DIR: '/srv/x' };
    const settings = (await cliJson(['config'], environment)) as Record<string, unknown>;
    expect(settings['DATABASE_URL']).to.deep.equal({
      value: 'postgres://me:…@db.example:6432/pages',
      source: 'file',
      file: DATABASE_URL_FILE,
    });
    expect(settings['LOG_LEVEL']).to.deep.equal({ value: 'warn', source: 'environment' });
    expect(settings['PORT']).to.deep.equal({ value: 8080, source: 'default' });
    expect(settings['EMBEDDING_MODEL']).to.deep.equal({ value: 'static', source: 'environment' });
    expect(settings['MODEL_CACHE_DIR']).to.deep.equal({ value: '/srv/x/models', source: 'default' });
    expect(settings['PGSSLMODE']).to.deep.equal({ value: 'verify-full', source: 'environment' });
    const { stdout, stderr } = await runCli(['config'], { ...environment, PGPASSWORD: password });
    expect(stdout)
      .to.match(/^PORT +8080 +default$/m)
      .and.to.match(/^PGPASSWORD +… +environment$/m);
    expect(stdout).to.match(
      new RegExp(`^DATABASE_URL +postgres://me:…@db\\.example:6432/pages +file ${DATABASE_URL_FILE}$`, 'm'),
    );
    expect(stdout + stderr).to.not.include(password);
    expect((await runCli(['config'], { PORT: 'eighty', DATABASE_POOL: '0' })).stderr).to.match(
      /PORT: .*DATABASE_POOL: /s,
    );
  });

  it('are used, and doctor is run, as docs/operate types it', async () => {
    const environment = {
      OWNER: 'me',
      PGHOST: 'db.example',
      DATABASE: 'pages',
      PATH: process.env['PATH'] ?? '',
      // Where running servers are looked for: none of other tests.
      TMPDIR: folder,
    };
    await file(password, 'owner-password');
    await symlink(join(packageRoot(), 'dist'), join(folder, 'dist'));
    const [secrets = ''] = await shellBlocks('docs/operate/deploy.md', 'Secrets in files');
    const typed = await typeBlock(secrets, { cwd: folder, env: environment });
    expect([typed.code, typed.stderr]).to.deep.equal([0, '']);
    expect(typed.stdout).to.match(/^DATABASE_URL +postgres:\/\/me@db\.example:5432\/pages\?password=… +environment$/m);
    expect(typed.stdout).to.match(/^PGPASSWORD +… +file .*owner-password$/m);
    const [doctor = ''] = await shellBlocks('docs/operate/monitoring.md', 'Doctor');
    expect((await typeBlock(doctor, { cwd: folder, env: environment })).stdout).to.match(
      /^warning +database +There is none/m,
    );
  });

  it('masks the password of every url', () => {
    const masked: [string, string][] = [
      ['postgres://me:secret@h/d', 'postgres://me:…@h/d'],
      ['postgres://me:se@cr/et@h/d', 'postgres://me:…@h/d'],
      ['postgres://:secret@h/d', 'postgres://:…@h/d'],
      ['postgres://h:5432/d?user=me&password=secret&a=1', 'postgres://h:5432/d?user=me&password=…&a=1'],
      ['postgres://me@h:5432/d', 'postgres://me@h:5432/d'],
    ];
    for (const [fullUrl, shown] of masked) expect(maskPassword(fullUrl)).to.equal(shown);
  });
});
