import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { packageRoot } from '#src/base/package-root.js';
import { typeBlock } from '../../support/document.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';

const README = 'clients/js/README.md';
const FRAMEWORKS = ['express', 'fastify', 'koa', 'hono', '@types/express', '@types/koa', '@types/node'];

/** The package as a customer has it: packed, installed elsewhere, and used as its README says. */
describe('the package pathmend-client', function () {
  this.timeout(120_000);
  let folder: string;
  let project: TestProject;
  let environment: Record<string, string>;
  let blocks: string[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-client-'));
    await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
    const packed = `npm pack --silent ${join(packageRoot(), 'clients/js')}`;
    const installed = await type(`npm install --silent --offline --no-audit ./$(${packed})`);
    expect(installed.code, installed.stderr).to.equal(0);
    for (const name of FRAMEWORKS) {
      const target = join(folder, 'node_modules', name);
      await mkdir(dirname(target), { recursive: true });
      await symlink(join(packageRoot(), 'node_modules', name), target);
    }
    blocks = [...(await readFile(join(packageRoot(), README), 'utf8')).matchAll(/```js\n([\s\S]*?)```/g)].map(
      ([, code = '']) => code,
    );
    project = await sharedService().newProject();
    await project.upsert({ url: 'https://site.example/opening-hours', content: 'Opening hours\n\nFrom 9 to 5.' });
    await project.indexed();
    environment = { PATHMEND_URL: sharedService().service.url, PATHMEND_KEY: project.key };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const type = (block: string) =>
    typeBlock(block, {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, ...environment },
    });

  /** The README's block that has a text. */
  const blockWith = (text: string): string => {
    const [block, second] = blocks.filter((candidate) => candidate.includes(text));
    if (block === undefined || second !== undefined) throw new Error(`not one block of ${README} has ${text}`);
    return block;
  };

  /** For a busy machine, on which pathmend may need longer than a visitor has. */
  const patient = (block: string): string => block.replace('createClient({', 'createClient({ timeoutMs: 20_000,');

  it('holds the code and its types, and needs nothing else', async () => {
    const { stdout } = await type('cd node_modules/pathmend-client && find . -type f | sort');
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((file) => !file.startsWith('./src/')),
    ).to.deep.equal(['./LICENSE', './README.md', './api.d.ts', './index.d.ts', './index.js', './package.json']);
    const manifest = await readFile(join(folder, 'node_modules/pathmend-client/package.json'), 'utf8');
    expect(JSON.parse(manifest)).to.not.have.any.keys('dependencies', 'peerDependencies', 'scripts');
    expect(
      (await type("grep -rhoE \"from '[^.][^']*'|node:\" node_modules/pathmend-client/src || true")).stdout,
    ).to.equal('');
  });

  it('is typed for all that its README shows, without the types of a browser', async () => {
    expect(blocks.length).to.be.above(5);
    const files = await Promise.all(
      blocks.map(async (block, index) => {
        const file = join(folder, `block-${index}.js`);
        await writeFile(file, block);
        return file;
      }),
    );
    const program = ts.createProgram(files, {
      strict: true,
      noImplicitAny: false,
      exactOptionalPropertyTypes: true,
      allowJs: true,
      checkJs: true,
      noEmit: true,
      maxNodeModuleJsDepth: 0,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      typeRoots: [join(packageRoot(), 'node_modules/@types')],
    });
    const faults = ts
      .getPreEmitDiagnostics(program)
      .filter(({ file }) => file === undefined || file.fileName.startsWith(folder))
      .map(({ file, messageText }) => `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
    expect(faults).to.deep.equal([]);
  });

  it('pushes, searches and deletes as its README shows', async () => {
    await writeFile(join(folder, 'push.js'), patient(blockWith('upsertPages')).replaceAll('2_000', '20_000'));
    const { code, stdout, stderr } = await type('node push.js');
    expect(code, stderr).to.equal(0);
    // The page to delete was never there.
    expect(stdout).to.include("url: 'https://www.example.com/old-help'").and.include("code: 'not_found'");
  });

  it('works in a program of CommonJS', async () => {
    const program = `import('pathmend-client').then(({ createClient }) =>
      createClient({ url: process.env.PATHMEND_URL, key: process.env.PATHMEND_KEY, timeoutMs: 20_000 })
        .suggest('/openning-hours').then(({ suggestions: [{ url }] }) => console.log(url)))`;
    await writeFile(join(folder, 'program.cjs'), program);
    expect((await type('node program.cjs')).stdout).to.equal('/opening-hours\n');
    const required = program.replace(
      "import('pathmend-client').then((",
      'Promise.resolve(require("pathmend-client")).then((',
    );
    await writeFile(join(folder, 'required.cjs'), required);
    expect((await type('node --no-warnings required.cjs')).stdout).to.equal('/opening-hours\n');
  });
});
