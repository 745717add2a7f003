/** Whether Dockerfile, docker-compose.yml and .env.example agree with each other, the settings and the tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SETTINGS } from '#src/platform/settings/settings.js';
import { packageRoot } from '#src/base/package-root.js';

interface Service {
  image: string;
  environment?: Record<string, string>;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  pids_limit?: number;
  ports?: string[];
  mem_limit?: string;
  privileged?: boolean;
  user?: string;
}

const faults: string[] = [];
const read = (name: string): string => readFileSync(join(packageRoot(), name), 'utf8');
const sorted = (names: string[]): string[] => [...new Set(names)].sort();
const all = (text: string, pattern: RegExp): string[] =>
  sorted([...text.matchAll(pattern)].map((match) => match[1] ?? ''));
const same = (what: string, left: string[], right: string[]): void => {
  if (left.join() !== right.join()) faults.push(`${what}: ${left.join(', ')} here, ${right.join(', ')} there`);
};

const compose = read('docker-compose.yml');
const dockerfile = read('Dockerfile');
const settings = Object.keys(SETTINGS);
const { services } = parse(compose, { merge: true }) as { services: Record<string, Service> };

for (const [name, service] of Object.entries(services)) {
  for (const port of service.ports ?? [])
    if (!/^(?:127\.0\.0\.1|\$\{PATHMEND_ADDRESS:-127\.0\.0\.1\}):/.test(port))
      faults.push(`docker-compose.yml lets others than this machine reach ${name}: ${port}`);
  if (service.image !== 'pathmend') continue;
  const confined =
    service.read_only === true &&
    service.cap_drop?.join() === 'ALL' &&
    service.security_opt?.includes('no-new-privileges:true') === true &&
    service.privileged === undefined &&
    service.user === undefined &&
    service.pids_limit !== undefined &&
    service.mem_limit !== undefined;
  if (!confined) faults.push(`docker-compose.yml lets ${name} do more than it has to: see the others`);
  for (const mount of service.tmpfs ?? [])
    if (!mount.includes(',noexec,') || !mount.includes(',size='))
      faults.push(`docker-compose.yml lets ${name} run what it writes to ${mount}, or fill the memory with it`);
  // libpq's own variables are read by the driver.
  const names = Object.keys(service.environment ?? {});
  const unknown = names.filter((key) => !settings.includes(key) && !key.startsWith('PG'));
  // These belong to the other role.
  const elsewhere = name === 'api' ? /^(?:SMTP_URL|MAIL_FROM)$/ : /^OIDC_|^CONSOLE_(?!URL)/;
  const lost = settings.filter((key) => !names.includes(key) && !elsewhere.test(key));
  if (['api', 'worker'].includes(name) && lost.length > 0)
    faults.push(`docker-compose.yml keeps settings from ${name}: ${lost.join(', ')}`);
  const fixed = Object.entries(service.environment ?? {}).filter(
    ([key, value]) => settings.includes(key) && !value.includes(`\${${key}:`),
  );
  if (name !== 'analytics' && fixed.length > 0)
    faults.push(`docker-compose.yml takes for ${name} not from .env: ${fixed.map(([key]) => key).join(', ')}`);
  if (unknown.length > 0) faults.push(`docker-compose.yml sets for ${name} what is no setting: ${unknown.join(', ')}`);
}
// Node's own, and glibc's (docs/operate/performance.md, Memory).
const OTHERS = ['NODE_ENV', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_ARENA_MAX'];
for (const line of all(dockerfile, /^ENV (.+)$/gm)) {
  const unknown = all(line, /\b(\w+)=/g).filter((key) => !settings.includes(key) && !OTHERS.includes(key));
  if (unknown.length > 0) faults.push(`the Dockerfile sets what is no setting: ${unknown.join(', ')}`);
}
same(
  'variables of the compose files and .env.example',
  all(compose + read('docker-compose.production.yml'), /\$\{(\w+)/g),
  all(read('.env.example'), /^(\w+)=/gm),
);
same(
  'the image of the database in what is deployed and in the tests',
  all(
    compose + read('docker-compose.production.yml') + read('deploy/kubernetes/backup.yaml'),
    /image: (pgvector\/\S+)/g,
  ),
  all(read('test/support/database.ts'), /'(pgvector\/[^']+)'/g),
);
if (all(dockerfile, /^FROM (\S+)/gm).length !== 1) faults.push('the stages of the Dockerfile differ in their image');
const users = all(dockerfile, /^USER (.+)$/gm);
if (users.length !== 1 || !/^[1-9]\d*:[1-9]\d*$/.test(users[0] ?? ''))
  faults.push("the image does not run as a user of a number that is not root's");
if (!/^HEALTHCHECK /m.test(dockerfile)) faults.push('the image does not say how its health is checked');
const copied = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((names) => names.split(' '));
const letThrough = all(read('.dockerignore'), /^!(.+)$/gm);
same('what the Dockerfile copies and .dockerignore lets through', sorted(copied), letThrough);

if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
} else {
  console.log('Dockerfile, docker-compose.yml, .env.example, settings and tests agree');
}
