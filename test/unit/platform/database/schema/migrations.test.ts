import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';

/** The migrations of the first release; nothing older runs beside them. */
const FIRST_RELEASE = 11;

/** A running instance of the release before would miss these, or could no longer write. */
const TAKES_AWAY =
  /\b(?:drop (?:column|table|schema|type)|rename (?:to|column)|set not null|alter column \w+ (?:set data )?type)\b/i;

function withoutComments(statements: string): string {
  return statements.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''");
}

describe('migrations', () => {
  const folder = join(packageRoot(), 'db', 'migrations');
  const later = readdirSync(folder).filter((name) => Number(name.slice(0, 4)) > FIRST_RELEASE);

  for (const name of later)
    it(`${name} only adds, so that instances of the release before keep working`, () => {
      expect(withoutComments(readFileSync(join(folder, name), 'utf8'))).not.to.match(TAKES_AWAY);
    });

  it('one that drops a column would be noticed', () => {
    expect(withoutComments('alter table t drop column c; -- drop table t')).to.match(TAKES_AWAY);
    expect(withoutComments("comment on table t is 'it once had to drop table x'; -- drop table t")).not.to.match(
      TAKES_AWAY,
    );
  });
});
