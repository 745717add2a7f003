/** Whether Dockerfile, docker-compose.yml and .env.example agree with each other, the settings and the tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SETTINGS_SCHEMA } from '#src/config.js';
import { packageRoot } from '#src/package-root.js';

interface Service {
  image: string;
  environment?: Record<string, string>;
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
const settings = Object.keys(SETTINGS_SCHEMA.properties as object);
const { services } = parse(compose, { merge: true }) as { services: Record<string, Service> };

for (const [name, service] of Object.entries(services)) {
  if (service.image !== 'pathmend') continue;
  // libpq's own variables are read by the driver.
  const names = Object.keys(service.environment ?? {});
  const unknown = names.filter((key) => !settings.includes(key) && !key.startsWith('PG'));
  if (unknown.length > 0) faults.push(`docker-compose.yml sets for ${name} what is no setting: ${unknown.join(', ')}`);
}
for (const line of all(dockerfile, /^ENV (.+)$/gm)) {
  const unknown = all(line, /\b(\w+)=/g).filter((key) => !settings.includes(key) && key !== 'NODE_ENV');
  if (unknown.length > 0) faults.push(`the Dockerfile sets what is no setting: ${unknown.join(', ')}`);
}
same(
  'variables of docker-compose.yml and .env.example',
  all(compose, /\$\{(\w+)/g),
  all(read('.env.example'), /^(\w+)=/gm),
);
same(
  'the image of the database in docker-compose.yml and in the tests',
  all(compose, /image: (pgvector\/\S+)/g),
  all(read('test/support/database.ts'), /'(pgvector\/[^']+)'/g),
);
if (all(dockerfile, /^FROM (\S+)/gm).length !== 1) faults.push('the stages of the Dockerfile differ in their image');
const copied = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((names) => names.split(' '));
const letThrough = all(read('.dockerignore'), /^!(.+)$/gm);
same('what the Dockerfile copies and .dockerignore lets through', sorted(copied), letThrough);

if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
} else {
  console.log('Dockerfile, docker-compose.yml, .env.example, settings and tests agree');
}
