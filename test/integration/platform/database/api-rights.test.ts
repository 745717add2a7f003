import { expect } from 'chai';
import type pg from 'pg';
import { sqlState } from '#src/platform/database/session/database-errors.js';
import { rejection } from '../../embedding/rejection.js';
import { onServer } from '../../../support/database.js';
import { createLogins, type Logins } from '../../../support/logins.js';
import { runCli } from '../../../support/processes.js';

const DENIED = '42501';

/** The columns that an insert of pg-boss names. */
const INSERTED =
  'id, name, priority, data, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, singleton_key, singleton_on, ' +
  'group_id, group_tier, start_after, created_on, keep_until, dead_letter, policy, heartbeat_seconds, blocked, blocking, pending_dependencies';

const PROJECT = '6c1b2a52-8f6b-4a5e-9a70-3d0c4a1f0f67';
const READ_AND_WRITE = 'select, insert, update, delete';
const WRITTEN = `alerts api_keys broken_links clicked_questions clicks counted_clicks deliveries empty_search_days
  chunks held_pages history_days identities index_versions indexed_pages invitations judgements latency_days memberships
  learned_redirects missing_pages missing_paths not_found_days not_found_hours not_founds index_segments page_terms page_validators
  pages path_days path_rules position_days projects rate_buckets referrer_weeks refused_events rollups rule_changes
  rule_hits rule_proposals rules search_days searches section_redirects sessions sync_runs tombstones turns
  upload_chunks uploads users vocabulary waiting_links watches wordless_pages wrong_guesses`.split(/\s+/);

/** The views whose figures the console and digests have. */
const FIGURES = Object.fromEntries(
  `broken_internal_links calibration click_through_positions content_gaps index_health judged_daily latency_buckets missing_paths
    not_kept_daily plan_usage recovery_by_path recovery_by_path_all recovery_daily recovery_daily_all redirect_effects redirects_without_hits
    redirects_worth_adding referrers searches_without_results`
    .split(/\s+/)
    .map((view) => [`analytics.${view}`, 'select']),
);

/** All that the api's login may do with tables. As a member of pathmend_tenant it may do what that role may, too. */
const API = {
  ...FIGURES,
  'analytics.searches': 'select',
  'pathmend.audit_log': 'select, insert',
  'pathmend.migrations': 'select',
  'pathmend.model_names': 'select',
  'pathmend.models': 'select',
  'pathmend.project_sources': 'select, insert, update (prune, every_seconds, next_at), delete',
  'pathmend.repeatables': 'select',
  ...Object.fromEntries(WRITTEN.map((table) => [`pathmend.${table}`, READ_AND_WRITE])),
  'pgboss.job_common': `select, insert (${INSERTED}), delete`,
  'pgboss.queue': 'select',
  'pgboss.version': 'select (version)',
};

/** The rights of the api's login once it has taken a tenant's role. */
const TENANT = {
  ...FIGURES,
  ...Object.fromEntries(
    `chunks clicked_questions held_pages index_versions indexed_pages learned_redirects missing_pages page_terms
      page_validators pages path_rules rule_changes rule_hits rule_proposals rules section_redirects tombstones vocabulary wordless_pages`
      .split(/\s+/)
      .map((table) => [`pathmend.${table}`, READ_AND_WRITE]),
  ),
  ...Object.fromEntries(
    `broken_links empty_search_days judgements latency_days missing_paths not_found_days path_days position_days
      project_sources referrer_weeks search_days sync_runs upload_chunks uploads wrong_guesses`
      .split(/\s+/)
      .map((table) => [`pathmend.${table}`, 'select']),
  ),
  'pathmend.projects':
    'select (project_id, name, model_id, title_evidence, redirect_above, shown_from, trial, path_case, path_slash, site_search), update (model_id)',
  'pathmend.turns': 'select, insert, update',
  'pgboss.job_common': `select, insert (${INSERTED}), delete`,
  'pgboss.queue': 'select',
};

describe("what the api's database role may do, table by table and column by column (on a server only)", function () {
  this.timeout(120_000);
  let logins: Logins;

  before(async function () {
    if (!onServer()) this.skip();
    logins = await createLogins();
    await migrated();
  });
  after(() => (onServer() ? logins.drop() : undefined));

  async function migrated(): Promise<void> {
    const { code, stderr } = await runCli(['migrate'], { DATABASE_URL: logins.urlOf(logins.owner) });
    expect(code, stderr).to.equal(0);
  }

  async function may(client: pg.Client, statement: string): Promise<boolean> {
    try {
      await client.query(`begin; ${statement}; rollback`);
      return true;
    } catch (error) {
      await client.query('rollback');
      if (sqlState(error) === DENIED) return false;
      throw new Error(`${statement}: ${String(error)}`);
    }
  }

  /** The generated columns, as `schema.table column`. No login can insert into them. */
  async function generatedColumns(): Promise<Set<string>> {
    const { rows } = await logins.admin.query<{ name: string }>(`
      select format('%I.%I %I', n.nspname, c.relname, a.attname) as name
        from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('pathmend', 'pgboss') and a.attgenerated <> ''`);
    return new Set(rows.map(({ name }) => name));
  }

  /** Returns the rights of a session for each table, which it finds by trying statements. */
  async function rightsOf(client: pg.Client): Promise<Record<string, string>> {
    const { rows } = await logins.admin.query<{ name: string; columns: string[] }>(`
      select format('%I.%I', n.nspname, c.relname) as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
        from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where n.nspname in ('pathmend', 'pgboss') and c.relkind in ('r', 'p', 'v') group by 1`);
    expect(rows.map(({ name }) => name)).to.include.members([
      'pathmend.pages',
      'pgboss.bam',
      'pgboss.job',
      'pgboss.schedule',
    ]);
    const generated = await generatedColumns();
    const tableRights: Record<string, string> = {};
    for (const { name, columns } of rows) {
      const rights: string[] = [];
      const writable = columns.filter((column) => !generated.has(`${name} ${column}`));
      for (const [right, statement] of Object.entries({
        select: (column: string) => `select ${column} from ${name} where false`,
        insert: (column: string) => `insert into ${name} (${column}) overriding system value select null where false`,
        update: (column: string) => `update ${name} set ${column} = default where false`,
      })) {
        const allowed: string[] = [];
        const tried = right === 'insert' ? writable : columns;
        for (const column of tried) if (await may(client, statement(column))) allowed.push(column);
        if (allowed.length > 0)
          rights.push(
            allowed.length === tried.length && name !== 'pgboss.version' ? right : `${right} (${allowed.join(', ')})`,
          );
      }
      if (await may(client, `delete from ${name} where false`)) rights.push('delete');
      if (await may(client, `truncate ${name}`)) rights.push('truncate');
      if (rights.length > 0) tableRights[name] = rights.join(', ');
    }
    // Most views take no writes from any login, so that their rights are read instead of tried.
    const { rows: views } = await client.query<{ name: string; rights: string }>(`
      select c.oid::regclass::text as name, string_agg(r, ', ') as rights
        from pg_class c cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as r
       where c.relnamespace = 'analytics'::regnamespace and has_table_privilege(c.oid, r) group by 1`);
    return { ...tableRights, ...Object.fromEntries(views.map(({ name, rights }) => [name, rights])) };
  }

  async function expectTheList(): Promise<void> {
    const client = await logins.connect(logins.api);
    try {
      expect(await rightsOf(client)).to.deep.equal(API);
      await client.query('set role pathmend_tenant');
      expect(await rightsOf(client)).to.deep.equal(TENANT);
    } finally {
      await client.end();
    }
  }

  it('is this list, and no more', expectTheList);

  it('is the same where an earlier release, or somebody, granted more', async () => {
    await logins.admin.query(`
      grant select, insert, update, delete on all tables in schema pgboss to pathmend_service;
      grant execute on all functions in schema pgboss to public;
      grant truncate on pathmend.pages to pathmend_service`);
    await migrated();
    await expectTheList();
    expect(await functionsOf()).to.deep.equal(['job_now']);
  });

  async function functionsOf(): Promise<string[]> {
    const { rows } = await logins.admin.query<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'pgboss'::regnamespace and (has_function_privilege($1, oid, 'execute') or has_function_privilege('pathmend_tenant', oid, 'execute'))`,
      [logins.api],
    );
    return rows.map(({ name }) => name);
  }

  it("of the queue's functions it may ask the time, and make no worker run a statement of its own", async () => {
    expect(await functionsOf()).to.deep.equal(['job_now']);
    const client = await logins.connect(logins.api);
    for (const statement of [
      `insert into pgboss.bam (name, version, status, table_name, command) values ('mine', 1, 'pending', 'job_common', 'grant ${logins.owner} to ${logins.api}')`,
      `select pgboss.job_table_run_async('mine', 1, 'grant ${logins.owner} to ${logins.api}', 'job_common')`,
      `select pgboss.create_queue('mine', '{}')`,
      `update pgboss.queue set table_name = 'job_common; grant ${logins.owner} to ${logins.api}'`,
    ]) {
      expect(sqlState(await rejection(client.query(statement), Error)), statement).to.equal(DENIED);
    }
    await client.end();
  });

  it('it makes no worker read a file of its own, or ask a machine inside', async () => {
    const client = await logins.connect(logins.api);
    await client.query('begin');
    await client.query(`insert into pathmend.projects (project_id, name, plan) values ('${PROJECT}', 'sourced', null)`);
    const insert = (kind: string, guarded: boolean): Promise<unknown> =>
      client.query(`
        savepoint one;
        insert into pathmend.project_sources (project_id, kind, source, prune, guarded, set_by, set_at)
        values ('${PROJECT}', '${kind}', 'x', false, ${guarded}, 'me', now())`);
    for (const [kind, guarded] of [
      ['path', true],
      ['url', false],
    ] as const) {
      expect(sqlState(await rejection(insert(kind, guarded), Error)), kind).to.equal(DENIED);
      await client.query('rollback to savepoint one');
    }
    await insert('url', true);
    await client.query('savepoint one');
    for (const change of ["kind = 'path'", "source = '/etc'", "base = 'x'", 'guarded = false']) {
      const update = client.query(`update pathmend.project_sources set ${change}`);
      expect(sqlState(await rejection(update, Error)), change).to.equal(DENIED);
      await client.query('rollback to savepoint one');
    }
    await client.query('rollback');
    await client.end();
  });

  it('a worker does not start with it, and says why', async () => {
    const { code, stderr } = await runCli(['serve', '--role', 'worker'], { DATABASE_URL: logins.urlOf(logins.api) });
    expect(code).to.equal(1);
    expect(stderr.trim()).to.equal(
      'This database role may queue jobs but not do them: start workers as the role that owns the schema, and this one with `--role api`.',
    );
  });
});
