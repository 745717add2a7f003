import { expect } from 'chai';
import { toHalfText } from '#src/database/half-text.js';
import { sharedService } from '../support/shared-service.js';

/** Numbers of every size that a half holds, both signs, and those that lie half-way between two of them. */
function numbers(): Float32Array {
  const all: number[] = [0, -0, 1, -1, 65_504, 65_519, 1e-9, -1e-9];
  for (let exponent = -26; exponent < 15; exponent++) {
    for (const fraction of [1, 1 + 1 / 2048, 1 + 3 / 2048, 1.2345, 1.9999]) all.push(fraction * 2 ** exponent, -fraction * 2 ** exponent);
  }
  return Float32Array.from(all);
}

describe('a vector as short text', () => {
  it('is kept by the database as the same numbers as with all its digits', async () => {
    const vector = numbers();
    const { rows } = await sharedService().service.database.connection.pool.query<{ short: string; long: string }>(
      'select $1::halfvec::text as short, $2::halfvec::text as long', [toHalfText(vector), JSON.stringify([...vector])],
    );
    // A negative zero loses its sign, which no distance knows.
    const kept = (text = ''): number[] => (JSON.parse(text) as number[]).map((number) => number + 0);
    expect(kept(rows[0]?.short)).to.deep.equal(kept(rows[0]?.long));
  });
});
