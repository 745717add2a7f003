import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { splitStatements } from '#src/platform/database/schema/statements.js';

describe('a file of SQL', () => {
  it('is one statement after the other, with the comments before each', () => {
    expect(splitStatements('-- First.\nselect 1;\n/* Then; */ select 2 ;\nselect 3\n')).to.deep.equal([
      '-- First.\nselect 1',
      '/* Then; */ select 2',
      'select 3',
    ]);
  });

  for (const [what, statement] of [
    ['a text', `select 'a;b''c;d'`],
    ['a name', `select 1 as "a;b"`],
    ['a comment', `select 1 -- a;b's\n, 2`],
    ['a body in dollars', 'do $$ begin perform 1; end $$'],
    ['a body in named dollars', "do $body$ begin perform '$$'; end $body$"],
  ] as const)
    it(`does not end a statement within ${what}`, () => {
      expect(splitStatements(`${statement};select 2;`)).to.deep.equal([statement, 'select 2']);
    });

  it('of spaces and comments alone has none', () => {
    expect(splitStatements('\n-- Nothing; here.\n;\n')).to.deep.equal([]);
  });

  it('of ours loses nothing but semicolons and the space around them', async () => {
    const names = await readdir(sqlFolder(), { recursive: true });
    const files = names.filter((name) => name.endsWith('.sql'));
    expect(files).to.have.length.above(50);
    const bare = (text: string): string => text.replaceAll(/[;\s]+/g, '');
    for (const name of files) {
      const text = await readFile(join(sqlFolder(), name), 'utf8');
      const statements = splitStatements(text);
      const comments = text.slice(text.lastIndexOf(statements.at(-1) ?? '') + (statements.at(-1) ?? '').length);
      expect(bare(statements.join('') + comments), name).to.equal(bare(text));
    }
  });
});
