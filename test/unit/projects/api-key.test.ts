import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { hashKey, isWellFormedKey, mintKey } from '#src/projects/api-key.js';

describe('the form of an API key', () => {
  it('is pm_live_ or pm_test_, 32 random characters and a checksum of 6, all base62', () => {
    expect(mintKey('live')).to.match(/^pm_live_[0-9A-Za-z]{38}$/);
    expect(mintKey('test')).to.match(/^pm_test_[0-9A-Za-z]{38}$/);
  });

  it('is random in each of its 32 characters', () => {
    const keys = Array.from({ length: 1_000 }, () => mintKey('live').slice(8, 40));
    expect(new Set(keys).size).to.equal(1_000);
    for (let place = 0; place < 32; place++) {
      // A thousand draws of 62 leave out any one character with a chance of one in ten million.
      expect(new Set(keys.map((key) => key[place])).size, `characters at ${place}`).to.be.above(50);
    }
  });

  it('is well-formed as minted, and is not with any one character changed', () => {
    const key = mintKey('test');
    expect(isWellFormedKey(key)).to.equal(true);
    for (let place = 0; place < key.length; place++) {
      for (const character of ['0', 'a', 'Z']) {
        if (key[place] === character) continue;
        const changed = key.slice(0, place) + character + key.slice(place + 1);
        expect(isWellFormedKey(changed), changed).to.equal(false);
      }
    }
  });

  it('is not well-formed with two neighbours swapped, cut, longer, or of another mode', () => {
    const key = mintKey('live');
    const place = [...key].findIndex((character, i) => i >= 8 && character !== key[i + 1]);
    const swapped = key.slice(0, place) + String(key[place + 1]) + String(key[place]) + key.slice(place + 2);
    for (const wrong of [
      '',
      'pm_live_',
      swapped,
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.replace('live', 'test'),
      key.replace('live', 'demo'),
    ]) {
      expect(isWellFormedKey(wrong), JSON.stringify(wrong)).to.equal(false);
    }
  });

  it('stays what it was: a checksum computed elsewhere (zlib.crc32 in base62) fits', () => {
    expect(isWellFormedKey(`pm_live_${'0'.repeat(32)}452FgV`)).to.equal(true);
    expect(isWellFormedKey('pm_test_abcdefghijklmnopqrstuvwxyzABCDEF3Cs5MW')).to.equal(true);
  });

  it('is hashed with SHA-256 whole', () => {
    const key = mintKey('live');
    expect(hashKey(key).toString('hex')).to.equal(createHash('sha256').update(key, 'utf8').digest('hex'));
  });
});
