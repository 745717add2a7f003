/**
 * Builds a site with a real generator, as scripts/generators/fetch.sh fetches them. What a site's owner has and these
 * checkouts have not is added: a theme with navigation for Hugo, Jekyll and Eleventy, a sitemap.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

export type GeneratorName = 'hugo' | 'jekyll' | 'mkdocs' | 'sphinx' | 'sphinx-dirhtml' | 'eleventy' | 'docusaurus';

export interface Generator {
  program: string;
  /** Of the built site, to follow its links from there, or its sitemap. */
  start: string;
  /** Makes the checkout one of a site at that url, which ends in a slash. */
  prepare(checkout: string, url: string): Promise<void>;
  args(checkout: string, out: string): string[];
}

const FETCHED = join(process.env['PATHMEND_GENERATORS_DIR'] ?? '/var/tmp/pathmend-generators', 'bin');

/** A page as most themes make one, of the template's own words. */
const layout = (title: string, content: string, menu = '<a href="/">Link of the menu</a>'): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><script>track('Buy now')</script></head>
<body><header><a href="/">Brand of the theme</a></header><nav>${menu}</nav>
<main><article><h1>${title}</h1>
${content}</article></main><footer>Imprint of the theme</footer></body></html>
`;

/** Words that no page may have: they are the theme's. */
export const THEME_WORDS = ['Buy now', 'Brand of the theme', 'Link of the menu', 'Imprint of the theme'];

export const GENERATORS: Record<GeneratorName, Generator> = {
  hugo: {
    program: 'hugo',
    start: 'sitemap.xml',
    prepare: async (checkout, url) => {
      await edit(join(checkout, 'hugo.toml'), /^baseURL = .*$/m, `baseURL = "${url}"`);
      await edit(join(checkout, 'hugo.toml'), ',"sitemap"', '');
      for (const kind of ['single', 'list'])
        await put(join(checkout, `layouts/_default/${kind}.html`), layout('{{ .Title }}', '{{ .Content }}'));
      for (const name of ['note', 'when'])
        await put(join(checkout, `layouts/shortcodes/${name}.html`), '{{ .Inner | markdownify }}');
    },
    args: (checkout, out) => ['--quiet', '--source', checkout, '--destination', out],
  },
  jekyll: {
    program: 'jekyll',
    start: 'sitemap.xml',
    prepare: async (checkout, url) => {
      const { origin, pathname } = new URL(url);
      await edit(join(checkout, '_config.yml'), /^url: .*$/m, `url: ${origin}`);
      await edit(join(checkout, '_config.yml'), /^baseurl: .*$/m, `baseurl: ${pathname.slice(0, -1)}`);
      await edit(join(checkout, '_config.yml'), '[jekyll-redirect-from]', '[jekyll-redirect-from, jekyll-sitemap]');
      await edit(
        join(checkout, '_config.yml'),
        'defaults:\n',
        'defaults:\n  - scope: {path: ""}\n    values: {layout: default}\n',
      );
      await put(join(checkout, '_layouts/default.html'), layout('{{ page.title | escape }}', '{{ content }}'));
    },
    args: (checkout, out) => ['build', '--quiet', '--disable-disk-cache', '--source', checkout, '--destination', out],
  },
  mkdocs: {
    program: 'mkdocs',
    start: 'sitemap.xml',
    prepare: (checkout, url) => edit(join(checkout, 'mkdocs.yml'), /^site_url: .*$/m, `site_url: ${url}`),
    args: (checkout, out) => ['build', '--quiet', '--config-file', join(checkout, 'mkdocs.yml'), '--site-dir', out],
  },
  sphinx: sphinx('html'),
  'sphinx-dirhtml': sphinx('dirhtml'),
  eleventy: {
    program: 'eleventy',
    start: '',
    prepare: async (checkout) => {
      await put(
        join(checkout, 'src/_includes/base.njk'),
        layout(
          '{{ title }}',
          '{{ content | safe }}',
          '{% for one in collections.all %}<a href="{{ one.url | url }}">Link of the menu</a> {% endfor %}',
        ),
      );
      await put(join(checkout, 'src/src.json'), '{"layout": "base.njk"}');
    },
    args: () => ['--quiet', '--pathprefix', '/d/'],
  },
  docusaurus: {
    program: 'docusaurus',
    start: 'sitemap.xml',
    prepare: async (checkout, url) => {
      const { origin, pathname } = new URL(url);
      const config = join(checkout, 'docusaurus.config.js');
      await edit(config, "'https://docu.example'", `'${origin}'`);
      await edit(config, "'/d/'", `'${pathname}'`);
      await edit(config, ', sitemap: false', '');
      await put(join(checkout, 'package.json'), '{"private": true}');
      await symlink(join(FETCHED, '../npm/docusaurus/node_modules'), join(checkout, 'node_modules'));
    },
    args: (checkout, out) => ['build', checkout, '--out-dir', out],
  },
};

function sphinx(builder: 'html' | 'dirhtml'): Generator {
  return {
    program: 'sphinx-build',
    start: '',
    prepare: (checkout, url) => edit(join(checkout, 'conf.py'), /^html_baseurl = .*$/m, `html_baseurl = '${url}'`),
    args: (checkout, out) => ['-q', '-b', builder, checkout, out],
  };
}

/** The generator's program; undefined where there is none. */
export function generatorProgram(name: GeneratorName): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), FETCHED]
    .map((folder) => join(folder, GENERATORS[name].program))
    .find((file) => existsSync(file));
}

/** Builds the checkout into a folder, as the site at `url`. */
export async function buildSite(name: GeneratorName, checkout: string, out: string, url: string): Promise<void> {
  const program = generatorProgram(name);
  if (program === undefined) throw new Error(`There is no ${name}: scripts/generators/fetch.sh fetches it.`);
  await GENERATORS[name].prepare(checkout, url);
  await mkdir(out, { recursive: true });
  const args = GENERATORS[name].args(checkout, out);
  const child = spawn(program, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((done, fail) => child.on('close', done).on('error', fail));
  if (code !== 0) throw new Error(`${name} ended with code ${String(code)}: ${said.slice(-2_000)}`);
  // Eleventy's folder is in its configuration.
  if (name === 'eleventy')
    for (const one of await readdir(join(checkout, '_out')))
      await cp(join(checkout, '_out', one), join(out, one), { recursive: true });
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function edit(file: string, from: string | RegExp, to: string): Promise<void> {
  const before = await readFile(file, 'utf8');
  if (before.split(from).length < 2) throw new Error(`${file} has no ${String(from)}`);
  await writeFile(
    file,
    before.replace(from, () => to),
  );
}
