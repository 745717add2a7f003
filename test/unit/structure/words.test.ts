import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { Linter, type ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { packageRoot } from '#src/base/package-root.js';

describe('lint of words', () => {
  let countFaults: (text: string) => number;

  before(async () => {
    const file = join(packageRoot(), 'scripts/structure/lint-words.js');
    const { default: words } = (await import(pathToFileURL(file).href)) as { default: ESLint.Plugin };
    const linter = new Linter({ cwd: packageRoot() });
    const parser = tseslint.parser as Linter.Parser;
    const rules = { 'words/names': 'error', 'words/comments': 'error' } as const;
    const config = { files: ['**/*.ts'], languageOptions: { parser }, plugins: { words }, rules };
    countFaults = (text) => linter.verify(text, [config], join(packageRoot(), 'src/example.ts')).length;
  });

  it('refuses a name that does not say what it is, wherever it is declared', () => {
    for (const text of [
      'const one = 1;',
      'const { found } = search();',
      'const { rows: [own] } = search();',
      'list.map((its) => its.name);',
      'function asked() {}',
      'function read(given: string) {}',
      'function read({ others }: Rules) {}',
      'try { read(); } catch (told) {}',
      'interface Answer { said: string }',
      'interface Answer { found(): string }',
      'class Answer { given = 1; }',
      'for (const others of lists) read(others);',
    ])
      expect(countFaults(text), text).to.equal(1);
  });

  it('leaves alone names that say it, and those that other code has chosen', () => {
    for (const text of [
      'const foundRules = 1; const oneLine = 2; const another = 3;',
      "import { one } from 'elsewhere';",
      'send({ found: true });',
      'const { found: hasRule } = answer;',
      'if (answer.given) read(answer.own);',
    ])
      expect(countFaults(text), text).to.equal(0);
  });

  it('refuses a comment that is no sentence', () => {
    for (const text of [
      '/** Of wildcards, that is. */',
      '/** As in a request. */',
      '/**\n * What a rule asks for.\n */',
      '/** Those of the project alone. */',
      '/** Its path and its host. */',
      '/** For people. */',
      '/** Reads the rules of a file */',
      '/**\n * Reads the rules of a file\n *\n * It is slow.\n */',
      '// Of the first page.\nread();',
      '/** Where it is. @throws Error */',
    ])
      expect(countFaults(text), text).to.equal(1);
  });

  it('leaves alone sentences, tags, and the second line of a comment', () => {
    for (const text of [
      '/** Reads the rules of a file. */',
      '/** By default, all rules are read. */',
      '/** Reads the rules. @returns their number */',
      '/**\n * @param rules what is stored\n */',
      '/** The formats are:\n *\n * - csv\n */',
      '// It reads the titles\n// Of the first page.\nread();',
      '/* of the old page */',
    ])
      expect(countFaults(text), text).to.equal(0);
  });
});
