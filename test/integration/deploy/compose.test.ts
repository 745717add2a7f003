import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/package-root.js';

const root = packageRoot();

interface Composed {
  services: Record<string, Service>;
}
interface Service {
  image: string;
  build?: unknown;
  environment?: Record<string, string>;
  logging?: { options?: Record<string, string> };
  mem_limit?: string;
  cpus?: number;
  pids_limit?: number;
  security_opt?: string[];
  read_only?: boolean;
  ports?: { host_ip?: string }[];
}

describe('docker-compose.production.yml (where docker-compose is: scripts/servers/compose.sh)', function () {
  this.timeout(60_000);
  let services: Record<string, Service>;

  before(function () {
    const fetched = join(process.env['PATHMEND_COMPOSE_DIR'] ?? '/var/tmp/pathmend-compose', 'bin/docker-compose');
    const compose = existsSync(fetched) ? fetched : 'docker-compose';
    const found = spawnSync(compose, ['version', '--short'], { encoding: 'utf8' });
    // `!reset` came with 2.24.
    if (found.error !== undefined || !/^(?:2\.(?:2[4-9]|[3-9]\d)|[3-9]\.|\d\d)/.test(found.stdout)) this.skip();
    const files = ['docker-compose.yml', 'docker-compose.production.yml'].flatMap((name) => [
      '--file',
      join(root, name),
    ]);
    const text = execFileSync(compose, [...files, '--profile', '*', 'config', '--format', 'json'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir() },
    });
    ({ services } = JSON.parse(text) as Composed);
  });

  it('is understood, with every service bounded in memory, processors, processes and logs', () => {
    expect(Object.keys(services)).to.include.members(['db', 'migrate', 'api', 'worker', 'sync', 'backup', 'grafana']);
    for (const [name, service] of Object.entries(services)) {
      expect(service.logging?.options, name).to.have.keys('max-size', 'max-file');
      expect(Number(service.mem_limit), name).to.be.above(0);
      expect(service.pids_limit, name).to.be.above(0);
      if (name !== 'migrate') expect(service.cpus, name).to.be.above(0);
      expect(service.security_opt, name).to.include('no-new-privileges:true');
      if (name !== 'grafana') expect(service.read_only, name).to.equal(true);
      for (const port of service.ports ?? []) expect(port.host_ip, name).to.equal('127.0.0.1');
    }
  });

  it('has passwords in files only, and builds nothing', () => {
    for (const [name, { environment = {}, build }] of Object.entries(services)) {
      expect(build, name).to.equal(undefined);
      const secret = Object.keys(environment).filter((key) => /PASSWORD/.test(key) && !/_FILE$/.test(key));
      expect(secret, name).to.deep.equal([]);
    }
  });
});
