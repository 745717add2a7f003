import { expect } from 'chai';
import { sql } from 'kysely';
import { compiledStatement } from '#src/database/session/compiled-statement.js';
import { sharedService } from '../../support/shared-service.js';

interface Values {
  one: number;
  other: string;
}

describe('a compiled statement', () => {
  const db = () => sharedService().service.db;

  it("is written once for each shape, and sent with each call's values where they are given", async () => {
    const written: object[] = [];
    const statement = compiledStatement<{ twice: boolean }, Values, { answer: string }>((shape, given) => {
      written.push(shape);
      const other = shape.twice
        ? sql`${given('other')}::text || ${given('other')}::text`
        : sql`${given('other')}::text`;
      return sql<{ answer: string }>`select ${other} || (${given('one')}::int + 1) as answer`;
    });
    expect(await statement(db(), { twice: false }, { one: 1, other: 'a' })).to.deep.equal([{ answer: 'a2' }]);
    expect(await statement(db(), { twice: true }, { one: 2, other: 'b' })).to.deep.equal([{ answer: 'bb3' }]);
    expect(await statement(db(), { twice: false }, { one: 3, other: 'c' })).to.deep.equal([{ answer: 'c4' }]);
    expect(written).to.deep.equal([{ twice: false }, { twice: true }]);
  });

  it('is refused where it holds a value of one call, which all others would send', async () => {
    const statement = compiledStatement<object, Values, { answer: number }>(
      (_shape, given) => sql<{ answer: number }>`select ${given('one')}::int + ${41}::int as answer`,
    );
    const outcome = await statement(db(), {}, { one: 1, other: '' }).then(
      () => 'sent',
      (error: unknown) => String(error),
    );
    expect(outcome).to.include('a value that is not given');
  });
});
