/**
 * A release that comes after this one, made up: a copy of the package whose schema has one more table, a changed
 * column, a view that is made anew, and one more role. `migrate` of it is what operators run at an upgrade.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { printCatalogue, readCatalogue } from '#src/platform/database/schema/catalogue.js';
import { migrate } from '#src/platform/database/schema/migrate.js';

const COPIED = ['db', 'dist', 'package.json'];
const VIEW = 'views/index_health.sql';

/** Roles are the whole server's: the name is the caller's, who drops it. */
const migration = (role: string): string => `
create table pathmend.page_notes (
  project_id uuid not null constraint page_notes__project references pathmend.projects on delete cascade,
  page_id    text collate "C" not null,
  note       text not null,
  constraint page_notes__pkey primary key (project_id, page_id)
);
alter table pathmend.page_notes enable row level security;
comment on table pathmend.page_notes is 'What people keep about pages.';

alter table pathmend.rule_changes alter column changed_by type varchar(2000);
alter table pathmend.pages add column note_count integer not null default 0;

do $$
begin
  if to_regrole('${role}') is null then
    create role ${role} nologin;
  end if;
end $$;`;

export interface NextRelease {
  /** The path of the program of its command line. */
  cli: string;
  /** The path of its folder of SQL. */
  db: string;
}

/** @param empty a connection to an empty database, from which the release's catalogue is read */
export async function makeNextRelease(folder: string, role: string, empty: pg.ClientBase): Promise<NextRelease> {
  const root = packageRoot();
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(root).filter((entry) => !entry.startsWith('.')))
    if (COPIED.includes(name)) cpSync(join(root, name), join(folder, name), { recursive: true });
    else symlinkSync(join(root, name), join(folder, name));
  const db = join(folder, 'db');
  writeFileSync(join(db, 'migrations/0900_next.sql'), migration(role));
  const view = readFileSync(join(db, VIEW), 'utf8');
  const changed = view.replace(/^(create view [^]*? as\n) *select /m, "$1select 'next' as release, ");
  if (changed === view) throw new Error(`${VIEW} has no select to add a column to`);
  writeFileSync(join(db, VIEW), changed);
  const analysts = readFileSync(join(db, 'access/analyst.sql'), 'utf8');
  writeFileSync(join(db, 'access/analyst.sql'), `${analysts}grant select on analytics.index_health to ${role};\n`);
  await migrate(empty, db, { compare: false });
  writeFileSync(join(db, 'catalogue.txt'), printCatalogue(await readCatalogue(empty, db)));
  return { cli: join(folder, 'dist', 'cli.js'), db };
}
