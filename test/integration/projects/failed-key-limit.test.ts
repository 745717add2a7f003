import { expect } from 'chai';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { revokeKey, findValidKeyHashes } from '#src/projects/store/keys.js';
import { hashKey, mintKey } from '#src/projects/api-key.js';
import { createGuessLimit } from '#src/platform/limits/guess-limit.js';
import { expectError } from '../../support/expect-error.js';
import { send, startTestService, type Answer, type TestProject, type TestService } from '../../support/service.js';

describe('how often an address may try keys that are not valid', () => {
  let now = 0;
  const limit = (perMinute: number) =>
    createGuessLimit(
      perMinute,
      () => Promise.resolve([]),
      () => now,
    );

  it('so many at once and as many a minute, each address for itself', () => {
    const guesses = limit(6);
    for (let i = 0; i < 6; i++) {
      expect(guesses.waitSeconds('10.0.0.1')).to.equal(0);
      guesses.recordRefused('10.0.0.1');
    }
    expect(guesses.waitSeconds('10.0.0.1')).to.equal(10);
    expect(guesses.waitSeconds('10.0.0.2')).to.equal(0);
    now += 9_999;
    expect(guesses.waitSeconds('10.0.0.1')).to.equal(1);
    now += 1;
    expect(guesses.waitSeconds('10.0.0.1')).to.equal(0);
    guesses.recordRefused('10.0.0.1');
    expect(guesses.waitSeconds('10.0.0.1')).to.equal(10);
    now += 3_600_000;
    for (let i = 0; i < 6; i++) guesses.recordRefused('10.0.0.1');
    expect(guesses.waitSeconds('10.0.0.1'), 'saved up').to.equal(10);
  });

  it('a network of IPv6 counts as one address, however it is written', () => {
    const guesses = limit(1);
    guesses.recordRefused('2001:db8:0:1::7');
    for (const same of ['2001:db8:0:1:ffff::1', '2001:0DB8:0000:0001:0:0:0:9', '2001:db8:0:1::'])
      expect(guesses.waitSeconds(same), same).to.be.above(0);
    for (const other of ['2001:db8:0:2::7', '2001:db8::7', '::1', '::ffff:10.0.0.1'])
      expect(guesses.waitSeconds(other), other).to.equal(0);
  });

  it('0 means no limit', () => {
    const guesses = limit(0);
    for (let i = 0; i < 1_000; i++) guesses.recordRefused('10.0.0.1');
    expect(guesses.waitSeconds('10.0.0.1')).to.equal(0);
  });

  it('a key that worked is remembered for an hour, or until it fails', async () => {
    now = 1;
    const guesses = limit(1);
    const [key, revoked] = [hashKey(mintKey('live')), hashKey(mintKey('live'))];
    guesses.recordAccepted(key);
    guesses.recordAccepted(revoked);
    guesses.recordRefused('10.0.0.1', revoked);
    expect(await Promise.all([guesses.isValid(key), guesses.isValid(revoked)])).to.deep.equal([true, false]);
    now += 3_600_001;
    // It looks at the clock once a millisecond.
    await pause(5);
    expect(await guesses.isValid(key)).to.equal(false);
  });
});

describe('guessing keys over HTTP', () => {
  let test: TestService;
  let project: TestProject;

  before(async () => {
    test = await startTestService({ FAILED_KEYS_PER_MINUTE: '5', TRUSTED_PROXIES: '127.0.0.0/8' });
    project = await test.newProject();
  });

  after(() => test.stop());

  const ask = (key: string, from: string): Promise<Answer> =>
    send(
      test.service.url,
      'POST',
      '/v1/suggest',
      { path: '/a' },
      { Authorization: `Bearer ${key}`, 'X-Forwarded-For': from },
    );

  it('is answered 401, then 429 with Retry-After; a request without a key stays 401', async () => {
    for (let i = 0; i < 5; i++) expectError(await ask(i % 2 ? 'nonsense' : mintKey('live'), '192.0.2.1'), 401);
    for (const key of ['nonsense', mintKey('live')]) {
      const answer = await ask(key, '192.0.2.1');
      expectError(answer, 429);
      expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 13);
      expect(answer.headers.get('x-ratelimit-limit'), 'rate headers without a known key').to.equal(null);
    }
    expectError(
      await send(test.service.url, 'POST', '/v1/suggest', { path: '/a' }, { 'X-Forwarded-For': '192.0.2.1' }),
      401,
    );
  });

  it('does not keep out another address, nor a key that worked, from the same one', async () => {
    expect((await ask(project.key, '192.0.2.2')).status).to.equal(200);
    for (let i = 0; i < 6; i++) await ask(mintKey('live'), '192.0.2.2');
    expectError(await ask(mintKey('live'), '192.0.2.2'), 429);
    expect((await ask(project.key, '192.0.2.2')).status).to.equal(200);
    expectError(await ask(mintKey('live'), '192.0.2.3'), 401);
  });

  it('does not keep out a valid key that this process never saw; revoked and expired ones wait', async () => {
    const [fresh, revoked, expired] = [
      await project.newKey(),
      await project.newKey(),
      await project.newKey({ expiresAt: new Date(Date.now() - 1_000) }),
    ];
    await revokeKey(test.service.db, { hash: hashKey(revoked) });
    for (let i = 0; i < 6; i++) await ask('nonsense', '192.0.2.4');
    const guesses = Array.from({ length: 50 }, () => ask(mintKey('live'), '192.0.2.4'));
    expect((await ask(fresh, '192.0.2.4')).status).to.equal(200);
    for (const guess of await Promise.all(guesses)) expectError(guess, 429);
    for (const key of [revoked, expired]) expectError(await ask(key, '192.0.2.4'), 429);
  });

  it('of an address that waits costs one look-up for all who guess at once', async () => {
    const batchSizes: number[] = [];
    const lookups = createGuessLimit(1, (hashes) => {
      batchSizes.push(hashes.length);
      return findValidKeyHashes(test.service.db, hashes);
    });
    const valid = hashKey(await project.newKey());
    const first = lookups.isValid(hashKey(mintKey('live')));
    await nextTurn();
    const rest = [valid, ...Array.from({ length: 2_000 }, () => hashKey(mintKey('live'))), valid].map((hash) =>
      lookups.isValid(hash),
    );
    expect(await first).to.equal(false);
    const [isFirstValid, ...laterAnswers] = await Promise.all(rest);
    expect([isFirstValid, laterAnswers.pop(), laterAnswers.includes(true)]).to.deep.equal([true, true, false]);
    expect(batchSizes).to.deep.equal([1, 2_001]);
  });
});
