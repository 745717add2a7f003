import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { Linter, type ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { packageRoot } from '#src/base/package-root.js';

describe('lint holds the imports of src', () => {
  let faultsOf: (file: string, text: string) => string[];

  before(async () => {
    const rule = join(packageRoot(), 'scripts/structure/lint-slices.js');
    const { default: slices } = (await import(pathToFileURL(rule).href)) as { default: ESLint.Plugin };
    const linter = new Linter({ cwd: packageRoot() });
    const parser = tseslint.parser as Linter.Parser;
    const config = { files: ['**/*.ts'], languageOptions: { parser }, plugins: { slices } };
    faultsOf = (file, text) =>
      linter
        .verify(text, [{ ...config, rules: { 'slices/imports': 'error' } }], join(packageRoot(), file))
        .map(({ message }) => message);
  });

  it('to one direction, however deep the files are, types and import() included', () => {
    for (const text of [
      "import { search } from '../../search/search.js';",
      "import type { SearchDeps } from '../../search/search.js';",
      "export * from '../../search/search.js';",
      "const { search } = await import('../../search/search.js');",
    ])
      expect(faultsOf('src/pages/routes/example.ts', text), text).to.have.length(1);
    expect(faultsOf('src/search/routes/example.ts', "import { a } from '../../pages/a.js';")).to.deep.equal([]);
    expect(faultsOf('src/nowhere/example.ts', '')).to.have.length(1);
  });

  it('to what reads, of the store of another slice', () => {
    const from = (names: string): string[] =>
      faultsOf('src/console/example-page.ts', `import ${names} from '../rules/store/rules.js';`);
    expect(from('{ listRuleRows, MAX_ROWS, type RuleRow }')).to.deep.equal([]);
    expect(from('type { deleteRules }')).to.deep.equal([]);
    expect(from('{ listRuleRows, deleteRules }')[0]).to.include('deleteRules').and.not.include('listRuleRows');
    expect(from('* as rules')).to.have.length(1);
    expect(faultsOf('src/rules/example.ts', "import { deleteRules } from './store/rules.js';")).to.deep.equal([]);
  });

  it('of what is pure to what is pure', () => {
    expect(faultsOf('src/search/ranking/example.ts', "import { sql } from 'kysely';")).to.have.length(1);
    expect(
      faultsOf('src/search/ranking/scores/example.ts', "import type { A } from '../../store/a.js';"),
    ).to.have.length(1);
    expect(
      faultsOf('src/search/ranking/scores/example.ts', "import type { A } from '../../../text/a.js';"),
    ).to.deep.equal([]);
  });
});
