/**
 * Whether the packages that package-lock.json holds support this Node, and none of them is given up by its maker.
 * `.npmrc` keeps npm from warning whoever installs pathmend, who can do nothing about it: this is where it is heard.
 */
import { spawnSync } from 'node:child_process';
import { packageRoot } from '#src/base/package-root.js';

/**
 * They ask for Node 22, and work on 20.19: all tests run there, too. cookie is a part of fastify for tests without a
 * server, and never loaded here.
 */
const TESTED = ['pg-boss', 'cookie'];

const { status, stderr } = spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts', '--no-audit', '--loglevel=warn'], {
  cwd: packageRoot(),
  encoding: 'utf8',
});
const refused = [...stderr.matchAll(/package: '(.+)@[^@]+',/g)]
  .map(([, name]) => name ?? '')
  .filter((name) => !TESTED.includes(name));
const deprecated = [...stderr.matchAll(/^npm warn deprecated (.+)$/gm)].map(([, warning]) => warning ?? '');
for (const name of refused) process.stderr.write(`${name} does not support Node ${process.version}\n`);
for (const warning of deprecated) process.stderr.write(`deprecated: ${warning}\n`);
if (status !== 0) process.stderr.write(stderr);
process.exit(status !== 0 || refused.length + deprecated.length > 0 ? 1 : 0);
