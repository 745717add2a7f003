import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { packageRoot } from '#src/base/package-root.js';
import { createTestDatabase, onServer } from '../../support/database.js';
import { send, startTestService, type TestService } from '../../support/service.js';
import { serverProgram } from '../../support/web-servers.js';
import { until } from '../../support/until.js';
import { query } from '../../support/sql.js';

const run = promisify(execFile);
const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const alerts = (parse(read('deploy/prometheus/rules.yml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const dashboard = JSON.parse(read('deploy/grafana/dashboards/pathmend-operators.json')) as {
  panels: { targets?: { expr: string }[] }[];
};
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];
const METRIC = /\b(?:pathmend|process|nodejs)_[a-z0-9_]+/g;

describe('alerts and the dashboard for operators', function () {
  this.timeout(120_000);
  let test: TestService;

  before(async () => {
    const settings: Record<string, string> = {
      METRICS_PROJECTS: '1',
      // Nobody is sent anything: nothing is sampled.
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_TRACES_SAMPLER: 'always_off',
    };
    const database = await createTestDatabase({ migrated: true });
    const databaseUrl = database.environment['DATABASE_URL'];
    if (onServer() && databaseUrl !== undefined) settings['DATABASE_READ_URL'] = databaseUrl;
    test = await startTestService(settings, { database });
  });

  after(() => test.stop());

  async function scrape(): Promise<string> {
    const { status, text } = await send(test.service.url, 'GET', '/metrics');
    expect(status).to.equal(200);
    return text;
  }

  const value = (text: string, sample: string): number | undefined => {
    const line = text.split('\n').find((metricLine) => metricLine.startsWith(`${sample} `));
    return line === undefined ? undefined : Number(line.slice(sample.length + 1));
  };

  /** Types by name. */
  async function families(): Promise<Map<string, string>> {
    const lines = (await scrape()).matchAll(/^# TYPE (\S+) (\S+)$/gm);
    return new Map(Array.from(lines, ([, name = '', type = '']) => [name, type]));
  }

  it('use metrics that a real scrape has, by the names of their types', async () => {
    const known = await families();
    const missing = expressions.flatMap((expression) =>
      Array.from(expression.matchAll(METRIC), ([name]) => name).filter((name) => {
        const base = name.replace(/_(bucket|count|sum)$/, '');
        if (!onServer() && name.startsWith('pathmend_replica_lag')) return false;
        return known.get(base) !== 'histogram' && !known.has(name);
      }),
    );
    expect(missing).to.deep.equal([]);
    expect(expressions.length).to.be.above(40);
    for (const [name, type] of known)
      if (name.startsWith('pathmend_')) expect(name.endsWith('_total'), `${name} ${type}`).to.equal(type === 'counter');
  });

  it('are described in docs/operate/monitoring.md, all of them', async () => {
    const described = Array.from(read('docs/operate/monitoring.md').matchAll(/^\| `(pathmend_\w+)` \| (\w+) \|/gm));
    const known = await families();
    if (!onServer()) for (const key of ['bytes', 'seconds']) known.set(`pathmend_replica_lag_${key}`, 'gauge');
    const ours = [...known].filter(([name]) => name.startsWith('pathmend_')).sort();
    expect(described.map(([, name, type]) => [name, type])).to.deep.equal(ours);
  });

  it('have a part each in docs/operate/runbook.md, with what to do, and a test or script that makes it happen', () => {
    const parts = read('docs/operate/runbook.md').split(/^## /m).slice(1);
    expect(parts.map((part) => part.split('\n', 1)[0])).to.deep.equal(alerts.map(({ alert }) => alert));
    for (const part of parts) {
      const [name = ''] = part.split('\n', 1);
      for (const heading of ['Symptom', 'Check', 'Fix']) expect(part, name).to.include(`- **${heading}**: `);
    }
    for (const rule of read('deploy/prometheus/rules.yml').split('- alert: ').slice(1)) {
      const [name = ''] = rule.split('\n', 1);
      const provokedBy = Array.from(rule.matchAll(/^ +# ((?:test|scripts)\/[\w/.-]+)$/gm), ([, path = '']) => path);
      expect(provokedBy, name).to.not.be.empty;
      for (const path of provokedBy) expect(existsSync(join(packageRoot(), path)), path).to.equal(true);
    }
    for (const { alert, annotations, labels } of alerts) {
      expect(annotations.runbook).to.equal(`docs/operate/runbook.md#${alert.toLowerCase()}`);
      expect(labels.severity).to.be.oneOf(['critical', 'warning', 'info']);
    }
  });

  describe('in promtool', () => {
    let promtool: string;
    before(function () {
      const program = serverProgram('promtool');
      if (program === undefined) this.skip();
      promtool = program;
    });

    it('fire each when what it is about lasts, and not while all is well', async () => {
      await run(promtool, ['check', 'rules', join(packageRoot(), 'deploy/prometheus/rules.yml')]);
      const { stdout } = await run(promtool, [
        'test',
        'rules',
        join(packageRoot(), 'deploy/prometheus/rules.test.yml'),
      ]);
      expect(stdout).to.include('SUCCESS');
      const tests = read('deploy/prometheus/rules.test.yml');
      for (const { alert } of alerts) expect(tests).to.include(`alertname="${alert}"`);
    });

    it('read every expression of the dashboard, and the scrape configuration', async () => {
      const rules = {
        groups: [
          {
            name: 'dashboard',
            rules: expressions.map((expr, at) => ({
              record: `panel:${at}`,
              expr: expr.replaceAll('$__rate_interval', '5m'),
            })),
          },
        ],
      };
      const folder = await mkdtemp(join(tmpdir(), 'pathmend-rules-'));
      await writeFile(join(folder, 'panels.yml'), JSON.stringify(rules));
      await run(promtool, ['check', 'rules', join(folder, 'panels.yml')]).finally(() =>
        rm(folder, { recursive: true }),
      );
      await run(promtool, [
        'check',
        'config',
        '--syntax-only',
        join(packageRoot(), 'deploy/prometheus/prometheus.yml'),
      ]);
    });

    it('find nothing to complain of in a scrape', async () => {
      const check = execFile(promtool, ['check', 'metrics']);
      let output = '';
      check.stderr?.on('data', (chunk: string) => (output += chunk));
      check.stdin?.end(await scrape());
      await new Promise((done) => check.on('close', done));
      // Node's own metrics are older than the rules for names.
      expect(output.split('\n').filter((line) => line.startsWith('pathmend_'))).to.deep.equal([]);
    });
  });

  it('see the queue, the pages, round trips, jobs and the projects that are named', async () => {
    const [project, other] = [await test.newProject(), await test.newProject()];
    await project.upsert({ url: 'https://shop.example/a', content: 'A page to count.' });
    await project.indexed();
    await project.post('/v1/semantic-search', { query: 'a page' });
    await project.post('/v1/semantic-search', { query: 'a page' });
    await other.post('/v1/suggest', {});
    await test.service.queue.stopWorking({ name: 'vectorize-page' });
    await project.upsert({ url: 'https://shop.example/b', content: 'A page that waits.' });
    await query(test.service, `update pathmend.pages set status_at = now() - interval '1 hour' where url like '%/b'`);
    await query(
      test.service,
      `update pgboss.job_common set created_on = now() - interval '1 hour', start_after = now() - interval '1 hour' where name = 'vectorize-page' and state = 'created'`,
    );
    await test.service.queue.boss.supervise('vectorize-page');
    let text = '';
    await until('the reading is new', async () => {
      text = await scrape();
      return value(text, 'pathmend_queue_waiting{kind="vectorize-page"}') === 1;
    });
    expect(value(text, 'pathmend_queue_oldest_seconds{kind="vectorize-page"}')).to.be.within(3_590, 3_700);
    expect(value(text, 'pathmend_pages{status="INDEXED"}')).to.equal(1);
    expect(value(text, 'pathmend_pages{status="PENDING_VECTORIZATION"}')).to.equal(1);
    expect(value(text, 'pathmend_pages_oldest_seconds{status="PENDING_VECTORIZATION"}')).to.be.within(3_590, 3_700);
    expect(value(text, 'pathmend_jobs_total{kind="vectorize-page",outcome="done"}')).to.equal(1);
    expect(value(text, 'pathmend_search_seconds_count{kind="semantic-search",by="cache"}')).to.equal(1);
    expect(value(text, 'pathmend_search_seconds_count{kind="semantic-search",by="index"}')).to.equal(1);
    expect(value(text, 'pathmend_database_round_trips_total{operation="/v1/pages/upsert"}')).to.be.within(6, 30);
    expect(value(text, 'pathmend_database_round_trips_total{operation="vectorize-page"}')).to.be.within(3, 60);
    expect(value(text, 'pathmend_project_requests_total{project="other",outcome="wrong"}')).to.equal(1);
    expect(value(text, `pathmend_project_requests_total{project="${project.row.project_id}",outcome="ok"}`)).to.equal(
      4,
    );
    expect(text).to.match(/^pathmend_build_info\{version="\d+\.\d+\.\d+",node="\d+\.\d+\.\d+",role="all"\} 1$/m);
    expect(value(text, 'pathmend_database_up')).to.equal(1);
  });
});
