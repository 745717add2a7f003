import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { KyselyPlugin } from 'kysely';
import { onCommandLine } from '#src/accounts/actor.js';
import type { Tenant } from '#src/platform/database/session/tenants.js';
import { applyRuleChanges, changeRules } from '#src/rules/change-rules.js';
import { parseRequestedPath } from '#src/rules/requested-path.js';
import { openRuleMatcher } from '#src/rules/preview/rule-matcher.js';
import { previewChanges } from '#src/rules/preview/preview-changes.js';
import { findRules, tryRules } from '#src/rules/preview/try-rules.js';
import { proposeRules } from '#src/rules/proposals/propose-rules-job.js';
import type { RuleChange } from '#src/rules/rule.js';
import { followStored } from '#src/search/candidates/follow-rules.js';
import { listLinks, storeBrokenLinks } from '#src/sync/broken-links.js';
import { indexVersionOf } from '../../support/learned-redirects.js';
import { projectWithRules, type ProjectWithRules } from '../../support/project-with-rules.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';

const many = <Item>(length: number, item: (n: number) => Item): Item[] => Array.from({ length }, (_, n) => item(n));

/** Thirty patterns whose targets all match all of them: to ten hops these are 30^10 paths. */
const CHAINED = many(30, (n) => ({
  path: `/${'a-'.repeat(n + 1)}:x`,
  target: `/${'a-'.repeat(30 * (n + 1))}-:x`,
}));

/** These count what a database reads. */
interface Reads {
  statements: number;
  values: number;
  rows: number;
}

function counted({ db, projectId }: Tenant): { tenant: Tenant; reads: Reads } {
  const reads = { statements: 0, values: 0, rows: 0 };
  const queries = new WeakMap<object, number>();
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      queries.set(queryId, db.getExecutor().compileQuery(node, queryId).parameters.flat().length);
      return node;
    },
    transformResult: ({ result, queryId }) => {
      reads.statements++;
      reads.rows += result.rows.length;
      reads.values += queries.get(queryId) ?? 0;
      return Promise.resolve(result);
    },
  };
  return { tenant: { db: db.withPlugin(plugin), projectId }, reads };
}

describe('following rules is bounded', function () {
  this.timeout(60_000);
  let project: ProjectWithRules['project'];
  let rules: ProjectWithRules['rules'];
  let add: ProjectWithRules['add'];
  let proxy: ProjectWithRules['proxy'];

  beforeEach(async () => {
    ({ project, rules, add, proxy } = await projectWithRules());
  });

  const id = (): string => project.row.project_id;
  const deps = () => ({ ...sharedService().service.deps, db: sharedService().service.db });
  const tenant = (): Tenant => deps().tenants.of(id());
  const indexVersion = (): Promise<number> => indexVersionOf(sharedService().service, project);
  async function tried(...paths: string[]): Promise<string[]> {
    const { body, status, text } = await rules('POST', '/try', { paths });
    expect(status, text).to.equal(200);
    return (body.answers as { to: string | null }[]).map(({ to }) => String(to));
  }

  it('patterns that lead into each other read a few hundred keys, in a search and in every preview', async () => {
    await add(...CHAINED);
    const paths = many(20, (n) => `/a-${n}`);
    const { tenant: read, reads } = counted(tenant());
    const followed = await (await openRuleMatcher(read)).followAll(paths);
    expect(followed.map(({ rule, answer }) => [rule?.path, answer])).to.deep.equal(
      paths.map(() => ['/a-:x', undefined]),
    );
    // The 20 paths have ten hops each, and their pages.
    expect(reads.statements).to.be.below(100);
    expect(reads.values).to.be.below(20 * 200);
    const live = counted(tenant());
    const path = parseRequestedPath('/a-1');
    const { rule } = await followStored({ ...live.tenant, indexVersion: await indexVersion() }, path);
    expect(rule).to.equal(undefined);
    expect(live.reads.statements).to.be.below(150);
    expect(live.reads.rows, 'rows').to.be.below(50);
  });

  it('and each preview of them ends: try, a dry run, a change, proposals, links and the page of a path', async () => {
    await add(...CHAINED);
    const { service } = sharedService();
    await query(service, `select pathmend.ensure_weeks(now() - interval '1 day', now())`);
    for (const path of many(5, (n) => `/a-${n}`))
      await query(
        service,
        `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, is_test)
         values ($1, $2, now() - interval '1 hour', $3, false)`,
        [id(), randomUUID(), path],
      );
    const link = { url: 'https://shop.example/a-1', status: 404, answer: '404', pages: ['https://shop.example/new'] };
    await storeBrokenLinks(deps().db, id(), [{ ...link, pageCount: 1 }], new Date());
    expect(await tried('/a-1')).to.deep.equal(['null']);
    expect((await tryRules(deps(), id(), {})).answered.paths).to.equal(0);
    const change: RuleChange = { path: '/b', action: 'redirect', target: '/a-1' };
    const { changes } = await previewChanges(deps(), id(), [change]);
    expect(changes[0]?.problems.map(({ kind }) => kind)).to.deep.equal(['target is no page', 'chain']);
    expect(await proposeRules(deps(), id())).to.deep.equal({ proposed: 0 });
    const { links } = await listLinks(tenant(), { brokenOnly: false, limit: 5 });
    expect(links.map(({ broken, leads_to }) => [broken, leads_to])).to.deep.equal([[false, null]]);
    expect((await findRules(deps(), id(), ['/a-1']))[0]?.path).to.equal('/a-:x');
  });

  it('ten hops are followed and eleven not, and a loop is no answer; previews say what searches do', async () => {
    await add(
      ...many(11, (n) => ({ path: `/step-${n}`, target: n === 10 ? '/new' : `/step-${n + 1}` })),
      { path: '/round', target: '/again' },
      { path: '/again', target: '/round' },
      { path: '/grow/*', target: '/grow/x/:splat' },
    );
    const paths = ['/step-0', '/step-1', '/step-10', '/round', '/grow/1'];
    const to = ['https://shop.example/new'];
    expect(await tried(...paths)).to.deep.equal([...to, ...to, ...to, 'null', 'null']);
    const answers = [];
    for (const path of paths) answers.push(await proxy(path));
    expect(answers).to.deep.equal(['301 /new', '301 /new', '301 /new', '404', '404']);
    await add({ path: '/step', target: '/step-0' });
    expect(await tried('/step')).to.deep.equal(['null']);
    expect(await proxy('/step')).to.equal('404');
  });

  it('a rule that ends nowhere leaves the answer to the next, and of a thousand that match some are tried', async () => {
    const dead = many(20, (n) => ({ path: `/${'a'.repeat(n + 2)}*`, target: `/nowhere-${n}/:splat` }));
    await add(...dead, { path: '/a*', target: '/new' });
    const path = `/${'a'.repeat(30)}`;
    expect(await tried(path)).to.deep.equal(['https://shop.example/new']);
    expect(await proxy(path)).to.equal('301 /new');
    await add(
      ...many(500, (n) => ({
        path: `/${'a'.repeat((n % 20) + 2)}*${'b'.repeat(n / 20 + 1)}`,
        target: `/no-${n}/:splat`,
      })),
    );
    const matched = `${path}${'b'.repeat(30)}`;
    const { tenant: read, reads } = counted(tenant());
    await (await openRuleMatcher(read)).follow(matched);
    expect(reads.statements).to.be.below(120);
    // A search reads the patterns once for a version, and looks for the pages of those that it tries together.
    const version = await indexVersion();
    await followStored({ ...tenant(), indexVersion: version }, parseRequestedPath(matched));
    const live = counted(tenant());
    await followStored({ ...live.tenant, indexVersion: version }, parseRequestedPath(matched));
    expect(live.reads.statements).to.be.below(20);
    expect(live.reads.rows).to.be.below(20);
  });

  it('rules are compiled once for a version of the project, and a change is obeyed by the next', async () => {
    await add(...many(50, (n) => ({ path: `/old-${n}/*`, target: '/new' })));
    expect(await tried('/old-7/x')).to.deep.equal(['https://shop.example/new']);
    const { tenant: read, reads } = counted(tenant());
    await (await openRuleMatcher(read)).follow('/old-7/x');
    expect(reads.rows, 'rows').to.be.below(20);
    await add({ path: '/old-7/*', target: '/other' });
    expect(await tried('/old-7/x')).to.deep.equal(['https://shop.example/other']);
    await changeRules(deps(), id(), [{ path: '/old-7/*', action: 'remove' }], onCommandLine('Ann'));
    expect(await tried('/old-7/x')).to.deep.equal(['null']);
    await project.upsert({ url: 'https://shop.example/old-8', title: 'Old 8', content: 'A page of its own.' });
    await project.indexed();
    expect(await tried('/old-8/', '/old-8/x')).to.deep.equal(['null', 'https://shop.example/new']);
  });

  it('a caller that has gone ends the work', async () => {
    await add(...CHAINED);
    const gone = AbortSignal.abort();
    const read = openRuleMatcher(tenant(), [], gone).then((matcher) => matcher.followAll(['/a-1']));
    expect(await read.catch((error: unknown) => (error as Error).name)).to.equal('AbortError');
  });

  it('a thousand long rules are checked in turns with others’ work', async () => {
    const long = (n: number): string => `/${'a-part-of-it/'.repeat(18)}${'a-part-of-it-'.repeat(45)}${n}`;
    const changes = many(1_000, (n): RuleChange => ({
      path: long(n),
      action: 'redirect',
      target: n === 999 ? 'no address' : long(-n),
    }));
    let turns = 0;
    let isOver = false;
    const take = (): void => {
      turns++;
      if (!isOver) setImmediate(take);
    };
    setImmediate(take);
    const by = { by: onCommandLine('Ann'), origin: 'person' as const, field: 'rules' };
    const refused = await applyRuleChanges(deps(), id(), changes, by).catch((error: unknown) => error);
    isOver = true;
    expect((refused as { param: string }).param).to.equal('rules.999.target');
    expect(turns).to.be.above(3);
  });
});
