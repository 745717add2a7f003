import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { runCli } from '../../support/processes.js';

/** The files that a command loads, as V8 lists them at its end, from the package's root. */
async function loadedBy(args: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-loaded-'));
  try {
    const { code, stderr } = await runCli(args, { NODE_V8_COVERAGE: folder });
    expect(code, stderr).to.equal(0);
    const [file = ''] = await readdir(folder);
    const { result } = JSON.parse(await readFile(join(folder, file), 'utf8')) as { result: { url: string }[] };
    const root = `file://${packageRoot()}/`;
    return result.flatMap(({ url }) => (url.startsWith(root) ? [url.slice(root.length)] : []));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function packagesOf(files: readonly string[]): string[] {
  const names = files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

describe('a command that scripts call in loops loads', function () {
  this.timeout(60_000);

  it('nothing but the parser of its words for --version, --help and words that are none', async () => {
    for (const args of [['--version'], ['--help'], ['help']])
      expect(packagesOf(await loadedBy(args)), args.join(' ')).to.deep.equal(['commander']);
  });

  it('neither the database nor the log for config', async () => {
    const files = await loadedBy(['config']);
    expect(packagesOf(files)).to.deep.equal([
      'ajv',
      'commander',
      'fast-deep-equal',
      'fast-uri',
      'ipaddr.js',
      'json-schema-traverse',
    ]);
    expect(files.filter((file) => /platform\/database\/|\/store\//.test(file))).to.deep.equal([]);
  });

  it('neither the model nor the embedded database nor the server to say what a group can do', async () => {
    for (const group of ['project', 'key', 'redirects', 'pages', 'events', 'watch', 'user']) {
      const packages = packagesOf(await loadedBy([group, '--help']));
      for (const heavy of ['express', '@huggingface', 'onnxruntime', 'pglite', 'openid-client', 'linkedom', 'pg-boss'])
        expect(
          packages.filter((name) => name.includes(heavy)),
          `${group}: ${heavy}`,
        ).to.deep.equal([]);
    }
  });

  it('only the part of the redirects that is asked for', async () => {
    const packages = packagesOf(await loadedBy(['redirects', 'sections', '--help']));
    for (const heavy of ['yaml', 'smol-toml', 'cli-progress']) expect(packages).not.to.include(heavy);
    const reads = await loadedBy(['redirects', 'list', '--help']);
    expect(reads.filter((file) => /cli\/redirects\/(?:import|map|verify|check)-command/.test(file))).to.deep.equal([]);
    expect(await loadedBy(['project', '--help'])).not.to.include('dist/pages/maintain-pages.js');
  });
});
