import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { sharedService } from '../../support/shared-service.js';
import { kept, tablesHolding } from '../../support/sql.js';
import { startTestService, type TestService } from '../../support/service.js';
import { storedNotFounds } from '../../support/stored-events.js';

const V4 = '198.51.100.77';
const V6 = '2001:db8:85a3:8d3:1319:8a2e:370:7348';

/** Sends an event with each address; returns what is stored for the addresses, in their order. */
async function storedIps(test: TestService, addresses: readonly unknown[]): Promise<(string | null)[]> {
  const project = await test.newProject();
  const paths = addresses.map(() => `/gone/${randomUUID()}`);
  for (const [i, path] of paths.entries()) {
    const { status } = await project.post('/v1/events', { raw_path: path, user_ip: addresses[i] });
    expect(status, String(addresses[i])).to.equal(204);
  }
  const rows = await storedNotFounds(test.service, project.row.project_id, paths.length);
  const byPath = new Map(rows.map((row) => [row.raw_path, row.visitor_ip]));
  return paths.map((path) => byPath.get(path) ?? null);
}

describe("POST /v1/events: the visitor's IP", () => {
  it('is truncated to its /24 or /48 by default, an IPv4 address in IPv6 form as the IPv4 address it is', async () => {
    const expected: [string, string][] = [
      [V4, '198.51.100.0/24'],
      [`  ${V4} `, '198.51.100.0/24'],
      ['255.255.255.255', '255.255.255.0/24'],
      [V6, '2001:db8:85a3::/48'],
      ['2001:db8::1', '2001:db8::/48'],
      ['2001:DB8:85A3::7348', '2001:db8:85a3::/48'],
      ['fe80::1%eth0', 'fe80::/48'],
      ['::1', '::/48'],
      ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1::/48'],
      ['a::1.2.3.4', 'a::/48'],
      [`::ffff:${V4}`, '198.51.100.0/24'],
      [`::FFFF:${V4}`, '198.51.100.0/24'],
    ];
    const addresses = expected.map(([address]) => address);
    expect(await storedIps(sharedService(), addresses)).to.deep.equal(expected.map(([, stored]) => stored));
  });

  it('is null when it is no IP address, and the event is taken all the same', async () => {
    const texts = ['', ...`unknown|1.2.3|256.1.1.1|1.2.3.4.5|${V4}:8080|${V4}, 192.0.2.1|2001:db8::1::2`.split('|')];
    const none = [...texts, 'a\u0000b', 5, true, [V4], { ip: V4 }];
    expect(await storedIps(sharedService(), none)).to.deep.equal(none.map(() => null));
  });

  it('is whole nowhere in the database when it is truncated, the queue included', async () => {
    const { service } = sharedService();
    const [v4, v6] = ['203.0.113.217', '2001:db8:77:6543:21::beef'];
    expect(await storedIps(sharedService(), [v4, v6])).to.deep.equal(['203.0.113.0/24', '2001:db8:77::/48']);
    // The search finds what is kept, in the queue's tables too.
    const holding = (await tablesHolding(service, '203.0.113.0/24')).join();
    expect(holding).to.contain('pathmend.not_founds').and.to.contain('pgboss.');
    expect(await tablesHolding(service, v4)).to.deep.equal([]);
    expect(await tablesHolding(service, '6543:21::beef')).to.deep.equal([]);
  });

  describe('with EVENT_IP_MODE', () => {
    let database: TestDatabase;
    let test: TestService | undefined;

    before(async function () {
      this.timeout(120_000);
      database = await createTestDatabase({ migrated: true });
    });

    afterEach(async () => {
      await test?.stop();
    });

    after(() => database.drop());

    async function start(mode: string): Promise<TestService> {
      test = await startTestService({ EVENT_IP_MODE: mode }, { database: kept(database) });
      return test;
    }

    it('drop is kept nowhere', async function () {
      this.timeout(120_000);
      const { service } = await start('drop');
      expect(await storedIps(test as TestService, [V4, V6])).to.deep.equal([null, null]);
      expect(await tablesHolding(service, '198.51.100')).to.deep.equal([]);
      expect(await tablesHolding(service, '2001:db8:85a3')).to.deep.equal([]);
    });

    it('full is kept whole, and null when it is no IP address', async function () {
      this.timeout(120_000);
      const expected: [string, string | null][] = [
        [V4, V4],
        [V6, V6],
        [`::ffff:${V4}`, V4],
        ['fe80::1%eth0', 'fe80::1'],
        ['nobody', null],
      ];
      const addresses = expected.map(([address]) => address);
      expect(await storedIps(await start('full'), addresses)).to.deep.equal(expected.map(([, stored]) => stored));
    });
  });
});
