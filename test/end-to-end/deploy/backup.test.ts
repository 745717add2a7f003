import { chmod, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { clientPrograms } from '../../support/administrator.js';
import { createTestDatabase, onServer, type TestDatabase } from '../../support/database.js';
import { typeBlock } from '../../support/document.js';
import type { Finished } from '../../support/processes.js';
import { connectTo } from '../../support/sql.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe("deploy/backup.sh (on a server, with PostgreSQL's client programs)", function () {
  this.timeout(120_000);
  let database: TestDatabase;
  const folder = temporaryFolder();
  let programs: string;
  let leave: (() => Promise<void>) | undefined;

  before(async function () {
    const programsFolder = onServer() ? await clientPrograms() : undefined;
    if (programsFolder === undefined) this.skip();
    programs = programsFolder;
    database = await createTestDatabase();
    await mkdir(join(folder, 'backups'));
    await mkdir(join(folder, 'bin'));
    leave = async () => {
      await database.drop();
    };
    const client = await connectTo(database);
    // Rows that hardly compress, so that most of the dump is rows; in a schema that is dumped.
    await client.query(`create schema if not exists pathmend; create schema if not exists analytics;
      create schema if not exists pgboss; create table pathmend.much as select md5(i::text) as word from generate_series(1, 50000) i`);
    await client.end();
  });

  after(() => leave?.());

  const backUp = (path = '', url = database.environment['DATABASE_URL'] ?? ''): Promise<Finished> =>
    typeBlock(join(packageRoot(), 'deploy/backup.sh'), {
      cwd: folder,
      env: {
        PATH: `${path}${programs}:${process.env['PATH'] ?? ''}`,
        DATABASE_URL: url,
        BACKUP_FOLDER: join(folder, 'backups'),
        BACKUP_KEEP: '2',
      },
    });

  const kept = async (): Promise<string[]> => (await readdir(join(folder, 'backups'))).sort();

  it('prints the path of a dump that is whole', async () => {
    const { code, stdout, stderr } = await backUp();
    expect(code, stderr).to.equal(0);
    expect(await kept()).to.deep.equal([stdout.trim().replace(`${join(folder, 'backups')}/`, '')]);
  });

  it('fails on a dump of which the end is missing, and keeps those before', async () => {
    const before = await kept();
    const [whole = ''] = before;
    // A disk or a network that lost the end without a word: the real dump, cut off afterwards.
    const cut = join(folder, 'bin/pg_dump');
    await writeFile(
      cut,
      `#!/bin/sh
PATH=${programs}:$PATH pg_dump "$@" || exit
for word; do case $word in --file=*) file=\${word#--file=} ;; esac; done
truncate --size=-200000 -- "$file"
`,
    );
    await chmod(cut, 0o755);
    const { code, stdout, stderr } = await backUp(`${join(folder, 'bin')}:`);
    expect(code).to.not.equal(0);
    expect(stdout).to.equal('');
    expect(stderr).to.match(/end of file/);
    expect((await kept()).filter((name) => name.endsWith('.dump'))).to.deep.equal(before);
    // Its list of contents is whole all the same.
    const copy = join(folder, 'copy');
    await writeFile(copy, await readFile(join(folder, 'backups', whole)));
    await truncate(copy, 600_000);
    const listed = await typeBlock(`pg_restore --list ${copy}`, { cwd: folder, env: { PATH: `${programs}:/usr/bin` } });
    expect(listed.code, listed.stderr).to.equal(0);
  });

  it('clears away what was not whole, and keeps the newest', async () => {
    await writeFile(join(folder, 'backups/pathmend-20200101T000000Z.dump'), '');
    await writeFile(join(folder, 'backups/pathmend-20200102T000000Z.dump'), '');
    const dumps = (await kept()).filter((name) => name.endsWith('.dump'));
    const { code, stdout, stderr } = await backUp();
    expect(code, stderr).to.equal(0);
    const made = basename(stdout.trim());
    // Two of the same second have one name.
    expect(await kept()).to.deep.equal([...new Set([...dumps, made])].sort().slice(-2));
    expect(made > 'pathmend-2026').to.equal(true);
  });

  const URLS: Record<string, string> = {
    'postgres://h/x': 'postgres://h/x',
    'postgres://h/x?sslmode=no-verify': 'postgres://h/x?sslmode=require',
    'postgres://h/x?a=b&sslmode=no-verify&c=d': 'postgres://h/x?a=b&sslmode=require&c=d',
    'postgres://h/x?uselibpqcompat=true&sslmode=require': 'postgres://h/x?sslmode=require',
    'postgres://h/x?sslmode=prefer&uselibpqcompat=true': 'postgres://h/x?sslmode=prefer',
    'postgres://h/x?uselibpqcompat=true': 'postgres://h/x',
    'postgres://h/x?sslmode=verify-full': 'postgres://h/x?sslmode=verify-full&sslrootcert=system',
    'postgres://h/x?sslrootcert=/ca.crt&sslmode=verify-full': 'postgres://h/x?sslrootcert=/ca.crt&sslmode=verify-full',
  };
  it('takes every url that the service takes', async () => {
    const folderOfSpy = join(folder, 'spy');
    await mkdir(folderOfSpy);
    // It says what it would have connected to, and refuses.
    await writeFile(join(folderOfSpy, 'pg_dump'), '#!/bin/sh\necho "$1" >&2\nexit 1\n', { mode: 0o755 });
    for (const [url, libpq] of Object.entries(URLS)) {
      const { stderr } = await backUp(`${folderOfSpy}:`, url);
      expect(stderr, url).to.include(`--dbname=${libpq}\n`);
    }
  });

  it('restores, past the same url, into an empty database', async () => {
    const { stdout } = await backUp();
    const other = await createTestDatabase();
    try {
      const DATABASE_URL = other.environment['DATABASE_URL'] ?? '';
      const { code, stderr } = await typeBlock(`"$SCRIPT" --restore <"$DUMP"`, {
        cwd: folder,
        env: {
          PATH: `${programs}:${process.env['PATH'] ?? ''}`,
          SCRIPT: join(packageRoot(), 'deploy/backup.sh'),
          DUMP: stdout.trim(),
          DATABASE_URL,
        },
      });
      expect(code, stderr).to.equal(0);
      const client = await connectTo(other);
      expect((await client.query('select count(*)::int as n from pathmend.much')).rows).to.deep.equal([{ n: 50_000 }]);
      await client.end();
    } finally {
      await other.drop();
    }
  });
});
