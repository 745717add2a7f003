import { expect } from 'chai';
import { arrayOf, toHalfBytes } from '#src/platform/database/binary-values.js';
import { sharedService } from '../../../support/shared-service.js';

/** Numbers of every size that a half holds, both signs, and those that lie half-way between two of them. */
function numbers(): Float32Array {
  const all: number[] = [0, -0, 1, -1, 65_504, 65_519, 1e-9, -1e-9];
  for (let exponent = -26; exponent < 15; exponent++) {
    for (const fraction of [1, 1 + 1 / 2048, 1 + 3 / 2048, 1.2345, 1.9999])
      all.push(fraction * 2 ** exponent, -fraction * 2 ** exponent);
  }
  return Float32Array.from(all);
}

describe('a vector for the database', () => {
  it('is kept as the same numbers as with all its digits, by itself and in an array', async () => {
    const vector = numbers();
    const { pool } = sharedService().service.database.connection;
    const type = await pool.query<{ oid: number }>("select 'halfvec'::regtype::oid as oid");
    const { rows } = await pool.query<{ last: string; bytes: string; long: string }>(
      'select ($1::halfvec[])[2]::text as last, $2::halfvec::text as bytes, $3::halfvec::text as long',
      [
        arrayOf(type.rows[0]?.oid ?? 0, [toHalfBytes(Float32Array.of(1)), toHalfBytes(vector)]),
        toHalfBytes(vector),
        JSON.stringify([...vector]),
      ],
    );
    // A negative zero loses its sign, which no distance knows.
    const kept = (text = ''): number[] => (JSON.parse(text) as number[]).map((number) => number + 0);
    expect(kept(rows[0]?.last)).to.deep.equal(kept(rows[0]?.long));
    expect(kept(rows[0]?.bytes)).to.deep.equal(kept(rows[0]?.long));
  });

  it('is refused with a number that 16 bits do not hold, rather than kept as another', async () => {
    const vector = Float32Array.from([1, 70_000]);
    const refused = sharedService().service.database.connection.pool.query('select $1::halfvec', [toHalfBytes(vector)]);
    expect(
      await refused.then(
        () => 'kept',
        (error: unknown) => String(error),
      ),
    ).to.match(/out of range|infinite/);
  });
});
