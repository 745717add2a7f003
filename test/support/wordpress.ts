import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../scripts/service/throwaway-database.js';
import { until } from './until.js';
import { serverProgram } from './web-servers.js';

export interface WordPress {
  url: string;
  /** Runs PHP inside the site; gives what it prints. */
  php(code: string): Promise<string>;
  stop(): Promise<void>;
}

/** A theme as small as one can be, which has a search form on its page for a 404 as most have. */
const THEME: Record<string, string> = {
  'style.css': '/*\nTheme Name: Small\n*/',
  'index.php': `<?php wp_head(); while (have_posts()) { the_post(); the_title('<h1>', '</h1>'); the_content(); }`,
  '404.php': `<?php wp_head(); echo '<h1>Nothing here</h1>'; get_search_form(); get_search_form(); wp_footer();`,
};

/** Mails are nobody's; an update would ask wordpress.org. */
const INSTALL = `define('WP_INSTALLING', true);
function wp_new_blog_notification() {}
(new mysqli('localhost', 'root', '', '', 0, $argv[1]))->query('create database wordpress');
require __DIR__ . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Small & tidy', 'admin', 'admin@example.com', true, '', 'Only-4-tests');
switch_theme('small');
$wp_rewrite->set_permalink_structure('/%postname%/');
`;

const ROUTER = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_string($path) && $path !== '/' && is_file(__DIR__ . $path)) return false;
require __DIR__ . '/index.php';
`;

/** Whether scripts/servers/fetch.sh has fetched it. */
export function hasWordPress(): boolean {
  return serverProgram('wordpress') !== undefined;
}

/**
 * A real WordPress on a MariaDB of its own.
 * @param plugins files by their paths
 * @param constants of wp-config.php, as PHP writes their values
 */
export async function startWordPress(
  plugins: readonly string[],
  constants: Record<string, string>,
): Promise<WordPress> {
  const [source, share] = await Promise.all(['wordpress', 'mariadbd-share'].map(readPath));
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-wordpress-'));
  const site = join(folder, 'site');
  await cp(source ?? '', site, { recursive: true, verbatimSymlinks: true });
  await mkdir(join(site, 'wp-content/themes/small'), { recursive: true });
  for (const [name, text] of Object.entries(THEME)) await writeFile(join(site, 'wp-content/themes/small', name), text);
  for (const file of plugins) await cp(file, join(site, 'wp-content/plugins', file.split('/').at(-1) ?? ''));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const socket = join(folder, 'sock');
  const texts = {
    ...{ DB_NAME: 'wordpress', DB_USER: 'root', DB_PASSWORD: '', DB_HOST: `localhost:${socket}`, WP_HOME: url },
    ...{ WP_SITEURL: url, AUTH_KEY: 'a', AUTH_SALT: 'b', NONCE_KEY: 'c', NONCE_SALT: 'd' },
  };
  const defined = [
    ...Object.entries(texts).map(([name, text]) => [name, JSON.stringify(text)]),
    ...Object.entries(constants),
  ];
  await writeFile(
    join(site, 'wp-config.php'),
    [
      '<?php',
      ...defined.map(([name = '', value = '']) => `define('${name}', ${value});`),
      "define('WP_HTTP_BLOCK_EXTERNAL', true);",
      "define('AUTOMATIC_UPDATER_DISABLED', true);",
      "$table_prefix = 'wp_';",
      "if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');",
      "require_once ABSPATH . 'wp-settings.php';",
    ].join('\n'),
  );
  await writeFile(join(site, 'router.php'), ROUTER);
  await writeFile(
    join(site, 'inside.php'),
    "<?php require __DIR__ . '/wp-load.php'; eval(stream_get_contents(STDIN));",
  );
  await writeFile(join(site, 'install.php'), `<?php ${INSTALL}`);
  await mkdir(join(folder, 'db'));
  const running: ChildProcess[] = [];
  const start = (name: string, args: readonly string[]): ChildProcess => {
    const child = spawn(serverProgram(name) ?? name, args, {
      cwd: site,
      env: { ...process.env, PHP_CLI_SERVER_WORKERS: '4' },
      // PHP's server starts workers: the whole group is ended.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(child);
    child.stderr.on('data', (chunk: Buffer) => (lastOutput = (lastOutput + chunk.toString()).slice(-4_000)));
    return child;
  };
  let lastOutput = '';
  const php = async (file: string, code: string): Promise<string> => {
    const args = ['-d', 'display_errors=stderr', file, socket];
    const child = spawn(serverProgram('php') ?? 'php', args, { cwd: site });
    child.stdin.end(code);
    const texts = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
    await once(child, 'close');
    // WordPress says with HTML that it cannot go on, and exits with 0.
    if (child.exitCode !== 0 || /<!DOCTYPE/i.test(texts.out))
      throw new Error(`PHP ended with ${child.exitCode}: ${texts.err}${texts.out}`);
    return texts.out;
  };
  const stop = async (): Promise<void> => {
    for (const child of running) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
      const closed = once(child, 'close');
      process.kill(-child.pid, 'SIGKILL');
      await closed;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    start('mariadbd', [
      ...['--no-defaults', '--user=root', `--datadir=${folder}/db`, `--socket=${socket}`, '--skip-networking'],
      ...['--skip-grant-tables', `--lc-messages-dir=${share}`, `--character-sets-dir=${share}/charsets`],
    ]);
    await until('MariaDB listens', () => {
      if (running[0]?.exitCode !== null) throw new Error(`MariaDB ended: ${lastOutput}`);
      return Promise.resolve(existsSync(socket));
    });
    await php('install.php', '');
    start('php', ['-q', '-S', `127.0.0.1:${port}`, 'router.php']);
    await until('WordPress answers', () =>
      fetch(url).then(
        async (answer) => {
          lastOutput = `${answer.status}: ${(await answer.text()).slice(0, 2_000)}`;
          return answer.ok;
        },
        () => false,
      ),
    );
  } catch (error) {
    await stop();
    throw new Error(`WordPress did not start: ${lastOutput}`, { cause: error });
  }
  return { url, php: (code) => php('inside.php', code), stop };
}

/** fetch.sh says where it put what is no program. */
async function readPath(name: string): Promise<string> {
  const file = serverProgram(name);
  if (file === undefined) throw new Error(`There is no ${name}: scripts/servers/fetch.sh fetches it.`);
  const path = (await readFile(file, 'utf8')).trim();
  return path.startsWith('/') ? path : join(dirname(file), path);
}
