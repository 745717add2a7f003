import type pg from 'pg';
import { describeGrants, describePolicies } from './access.js';
import { describeTables } from './describe-tables.js';
import { commentsOf, type CatalogueComment } from './comments.js';

/** The schemas that are described, in this order. pg-boss looks after its own schema. */
const SCHEMAS = ['pathmend', 'analytics'];

const HEADER = `\
-- The schema as the migrations, functions, views and access of this folder leave it. For reading and reviews:
-- nothing runs it, and \`npm run db:dump\` writes it. Weekly partitions are left out: they depend on the day.`;

interface ViewRow {
  oid: string;
  name: string;
  options: string | null;
  definition: string;
}

/** Finds objects of a kind that would be missing from the text without anybody noticing. */
const UNDESCRIBED = `
select c.relkind::text || ' (pg_class.relkind)' as kind, c.oid::regclass::text as name
  from pg_class c
 where c.relnamespace = any ($1::regnamespace[]) and c.relkind not in ('r', 'p', 'i', 'I', 'v')
   and not (c.relkind = 'S' and exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i'))
   and not (c.relkind = 'S' and exists (select from pg_sequence s where s.seqrelid = c.oid and s.seqtypid = 'bigint'::regtype
              and s.seqstart = 1 and s.seqincrement = 1 and s.seqmin = 1 and s.seqcache = 1 and not s.seqcycle))
union all
select 'type', t.oid::regtype::text
  from pg_type t
 where t.typnamespace = any ($1::regnamespace[]) and t.typelem = 0
   and not (t.typtype = 'c' and exists (select from pg_class c where c.oid = t.typrelid and c.relkind <> 'c'))
   and not exists (select from pg_depend d
                    where d.objid = t.oid and d.deptype = 'i' and d.refclassid = 'pg_type'::regclass)
union all
select 'aggregate', p.oid::regprocedure::text
  from pg_proc p
 where p.pronamespace = any ($1::regnamespace[]) and p.prokind = 'a'
union all
select 'inheritance', c.oid::regclass::text
  from pg_class c join pg_inherits i on i.inhrelid = c.oid
 where c.relnamespace = any ($1::regnamespace[]) and c.relkind = 'r' and not c.relispartition
union all
select 'default privileges', d.defaclnamespace::regnamespace::text
  from pg_default_acl d
 where d.defaclnamespace = any ($1::regnamespace[])
 order by 1, 2`;

/** Sequences of identity columns come with their tables; of the others only plain ones get past the check above. */
const SEQUENCES = `
select format('create sequence %I.%I;', c.relnamespace::regnamespace::text, c.relname) as statement
  from pg_class c
 where c.relnamespace = any ($1::regnamespace[]) and c.relkind = 'S'
   and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')
 order by c.relname`;

const FUNCTIONS = `
select p.oid::int8 as oid, pg_get_functiondef(p.oid) as definition
  from pg_proc p
 where p.pronamespace = any ($1::regnamespace[])
 order by p.pronamespace = 'analytics'::regnamespace, p.proname, pg_get_function_identity_arguments(p.oid)`;

// By oid: the order they were made in, so that a view stands behind those that it reads.
const VIEWS = `
select c.oid::int8 as oid, format('%I.%I', c.relnamespace::regnamespace::text, c.relname) as name,
       array_to_string(c.reloptions, ', ') as options, pg_get_viewdef(c.oid, true) as definition
  from pg_class c
 where c.relnamespace = any ($1::regnamespace[]) and c.relkind = 'v'
 order by c.oid`;

/**
 * Writes the SQL that makes the migrated schema: the same text from every database that holds the same schema. It can
 * be run on an empty database that has the roles named in its grants.
 * @throws Error when the schema holds a kind of object that this program does not know.
 */
export async function describeSchema(client: pg.ClientBase): Promise<string> {
  // The types and functions of the extensions, in public, are called by their short names; ours by their full ones.
  await client.query(`set search_path = public`);
  const undescribed = await client.query<{ kind: string; name: string }>(UNDESCRIBED, [SCHEMAS]);
  if (undescribed.rows.length > 0) {
    const list = undescribed.rows.map(({ kind, name }) => `  ${kind}: ${name}`).join('\n');
    throw new Error(`The description of the schema would leave these out; teach scripts/schema about them:\n${list}`);
  }
  const comments = await commentsOf(client, SCHEMAS);
  const parts = [
    HEADER,
    await describeExtensions(client),
    SCHEMAS.map((schema) => `create schema ${schema};`).join('\n') + commentsOn(null, comments),
    await describeSequences(client),
    ...(await describeTables(client, SCHEMAS, comments)),
    ...(await describeFunctions(client, comments)),
    ...(await describeViews(client, comments)),
    await describePolicies(client, SCHEMAS),
    await describeGrants(client, SCHEMAS),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

async function describeSequences(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ statement: string }>(SEQUENCES, [SCHEMAS]);
  return rows.map((row) => row.statement).join('\n');
}

/** Extensions are described without their versions, which depend on the server. */
async function describeExtensions(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(extname) as name from pg_extension where extname <> 'plpgsql' order by extname`,
  );
  return rows.map(({ name }) => `create extension if not exists ${name};`).join('\n');
}

async function describeFunctions(client: pg.ClientBase, comments: CatalogueComment[]): Promise<string[]> {
  const { rows } = await client.query<{ oid: string; definition: string }>(FUNCTIONS, [SCHEMAS]);
  return rows.map(({ oid, definition }) => `${definition.trimEnd()};${commentsOn(oid, comments)}`);
}

async function describeViews(client: pg.ClientBase, comments: CatalogueComment[]): Promise<string[]> {
  const { rows } = await client.query<ViewRow>(VIEWS, [SCHEMAS]);
  return rows.map(({ oid, name, options, definition }) => {
    const settings = options === null ? '' : ` with (${options})`;
    return `create view ${name}${settings} as\n${definition}${commentsOn(oid, comments)}`;
  });
}

function commentsOn(object: string | null, comments: CatalogueComment[]): string {
  return comments
    .filter((comment) => comment.object === object)
    .map(({ statement }) => `\n${statement}`)
    .join('');
}
