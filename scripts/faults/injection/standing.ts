import type pg from 'pg';

/**
 * Describes a database, apart from the rows of one project: every table by count and checksum, and all that has a name.
 */
export async function standingOf(client: pg.Client, butProject: string): Promise<Map<string, string>> {
  const standing = new Map<string, string>();
  const { rows: tables } = await client.query<{ name: string; of_project: string | null }>(
    `select c.relname as name, (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attname in ('project_id', 'about_project')) as of_project
       from pg_class c where c.relnamespace = 'pathmend'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  for (const { name, of_project: column } of tables) {
    // The service writes to these tables by itself: it builds indexes in its own time, and takes turns for that.
    if (name === 'index_segments' || name === 'turns') continue;
    const rowFilter = column === null ? 'where $1::uuid is not null' : `where t.${column} is distinct from $1`;
    const { rows } = await client.query<{ sum: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum from pathmend.${client.escapeIdentifier(name)} t ${rowFilter}`,
      [butProject],
    );
    standing.set(`rows of ${name}`, rows[0]?.sum ?? '');
  }
  for (const [what, sql] of Object.entries(NAMED)) {
    const { rows } = await client.query<{ names: string | null }>(
      `select string_agg(name, E'\\n' order by name) as names from (${sql}) as n (name)`,
    );
    standing.set(what, rows[0]?.names ?? '');
  }
  return standing;
}

/**
 * Lists everything that has a name, except what the service itself makes in operation: weekly partitions, and large
 * projects' tables in another schema.
 */
const NAMED: Record<string, string> = {
  schemas: "select nspname::text from pg_namespace where nspname not like 'pg\\_%'",
  relations: `select format('%I.%I %s %s', n.nspname, c.relname, c.relkind, c.relacl) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'pathmend', 'analytics', 'pgboss') and not c.relispartition and c.relname !~ '_\\d{4}w\\d\\d'`,
  columns: `select format('%s %I %s', a.attrelid::regclass, a.attname, a.atttypid::regtype) from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace in ('pathmend'::regnamespace, 'public'::regnamespace) and c.relkind in ('r', 'p', 'v') and not c.relispartition and a.attnum > 0`,
  functions:
    "select p.oid::regprocedure || md5(p.prosrc) from pg_proc p where p.pronamespace in ('pathmend'::regnamespace, 'public'::regnamespace)",
  triggers: 'select tgname::text from pg_trigger where not tgisinternal',
  // Roles of tests that run at the same time on this server are left out: their names end in eight random digits.
  roles: `select format('%s %s %s', rolname, rolsuper, rolcanlogin) from pg_roles
    where rolname !~ '^pg_' and rolname !~ '_[0-9a-f]{8}$'`,
  settings: `select format('%s=%s', setdatabase, setconfig) from pg_db_role_setting
    where setdatabase in (0, (select oid from pg_database where datname = current_database()))`,
};
