import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { parse } from 'yaml';
import { packageRoot } from '#src/base/package-root.js';

interface Panel {
  id: number;
  type: string;
  title: string;
  datasource: { type: string; uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets: {
    refId: string;
    datasource: { type: string; uid: string };
    rawQuery: boolean;
    format: string;
    rawSql: string;
  }[];
}

interface Dashboard {
  uid: string;
  panels: Panel[];
}

/** Returns the compiler's complaints about a dashboard as a value of Grafana's own type. */
function complaintsOf(dashboard: string): string[] {
  const file = join(packageRoot(), 'test', 'dashboard-in-memory.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
  };
  const text = `import type { Dashboard } from '@grafana/schema';\nexport const dashboard: Dashboard = ${dashboard};`;
  const host = ts.createCompilerHost(options);
  const onDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, text, version) : onDisk(name, version);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** The format that Grafana's PostgreSQL data source needs, by the type of the panel. */
const FORMATS: Record<string, string> = { timeseries: 'time_series', table: 'table', stat: 'table' };

describe("Grafana's dashboard", () => {
  const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');
  const dashboard = JSON.parse(read('deploy/grafana/dashboards/pathmend.json')) as Dashboard;
  const source = (
    parse(read('deploy/grafana/provisioning/datasources/pathmend.yml')) as {
      datasources: { uid: string; type: string; user: string; url: string; secureJsonData: { password: string } }[];
    }
  ).datasources[0];

  it('asks the data source that is provisioned beside it, from compose and with its password', () => {
    for (const panel of dashboard.panels)
      for (const { type, uid } of [panel.datasource, ...panel.targets.map((target) => target.datasource)])
        expect([type, uid], panel.title).to.deep.equal([source?.type, source?.uid]);
    const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { environment?: object; volumes?: string[] }>;
    };
    // deploy/grafana/start.sh takes PATHMEND_HOST from DATABASE_URL (test/end-to-end/deploy/compose.test.ts).
    expect(source?.url).to.equal('$PATHMEND_HOST');
    expect(services['grafana']?.environment).to.include.keys(source?.secureJsonData.password.slice(1) ?? '');
    expect(services['grafana']?.volumes).to.include('./deploy/grafana/dashboards:/etc/grafana/dashboards:ro');
    expect(read('deploy/grafana/provisioning/dashboards/pathmend.yml')).to.include('path: /etc/grafana/dashboards');
    expect(read('scripts/postgres/compose-roles.sh')).to.include(`grant pathmend_analyst to ${source?.user ?? ''}`);
  });

  it('has panels of kinds that Grafana brings, each with a query in the format that it shows', () => {
    for (const { type, title, targets } of dashboard.panels)
      for (const { format, rawQuery, rawSql } of targets) {
        expect(format, title).to.equal(FORMATS[type]);
        expect(rawQuery, title).to.be.true;
        expect(rawSql, title).to.include('analytics.').and.include('${project:sqlstring}');
      }
  });

  for (const name of ['pathmend', 'pathmend-operators']) {
    it(`${name} has no panel over another, or beyond the grid of 24 columns`, () => {
      const taken = new Map<string, string>();
      const { panels, uid } = JSON.parse(read(`deploy/grafana/dashboards/${name}.json`)) as Dashboard;
      for (const { title, gridPos } of panels)
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
            expect(x, title).to.be.below(24);
            expect(taken.get(`${x} ${y}`), title).to.equal(undefined);
            taken.set(`${x} ${y}`, title);
          }
      expect(new Set(panels.map(({ id }) => id))).to.have.property('size', panels.length);
      expect(uid).to.equal(name);
    });

    it(`${name} is what Grafana's own schema takes`, function () {
      this.timeout(60_000);
      const text = read(`deploy/grafana/dashboards/${name}.json`);
      expect(complaintsOf(text)).to.deep.equal([]);
      expect(complaintsOf(text.replace('"panels": [', '"panels": 1, "others": ['))).to.not.be.empty;
    });
  }
});
