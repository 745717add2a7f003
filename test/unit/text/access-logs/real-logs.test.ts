import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { AccessLog, detectFormat } from '#src/text/access-logs/access-log.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const ORIGIN = 'http://shop.example';
const WITH_HEADERS = { referrer: 'https://blog.example/tyres', agent: FIREFOX };
const NOTHING = { origin: null, referrer: null, agent: null };

/** The files of test/fixtures/access-logs, with all that a log of each format knows of a visit. */
const LOGS = {
  'haproxy.txt': { format: 'haproxy', ...NOTHING },
  'haproxy-captures.txt': { format: 'haproxy', origin: ORIGIN, ...WITH_HEADERS },
  'haproxy-https.txt': { format: 'haproxy', origin: 'https://shop.example', referrer: null, agent: FIREFOX },
  'haproxy-clf.txt': { format: 'combined', ...NOTHING },
  'nginx.txt': { format: 'combined', origin: null, ...WITH_HEADERS },
  'nginx-json.txt': { format: 'json', origin: ORIGIN, ...WITH_HEADERS },
  'apache.txt': { format: 'combined', origin: null, ...WITH_HEADERS },
  'apache-vhost.txt': { format: 'combined', origin: ORIGIN, ...WITH_HEADERS },
  'apache-common.txt': { format: 'combined', ...NOTHING },
  'traefik-json.txt': { format: 'json', origin: ORIGIN, ...WITH_HEADERS },
  'traefik.txt': { format: 'combined', origin: null, ...WITH_HEADERS },
  'caddy.txt': { format: 'caddy', origin: ORIGIN, ...WITH_HEADERS },
} as const;

describe('a log that a real server wrote', () => {
  for (const [file, { format, origin, referrer, agent }] of Object.entries(LOGS))
    it(`is recognized and read: ${file}`, () => {
      const lines = readFileSync(join(packageRoot(), 'test/fixtures/access-logs', file), 'utf8')
        .trim()
        .split('\n');
      expect(new Set(lines.map(detectFormat))).to.deep.equal(new Set([format]));
      const log = new AccessLog();
      const requests = lines.map((line) => log.push(line)).filter((read) => read !== undefined && 'at' in read);
      // HAProxy writes a quotation mark as #22, which nothing tells from other text in its CLF, and nginx as \\x22.
      const quote =
        file === 'haproxy-clf.txt'
          ? '#22'
          : format === 'haproxy' || /^(?:nginx|traefik.*)\.txt$/.test(file)
            ? '%22'
            : '"';
      const last = file.startsWith('traefik') ? '/old/%C3%BC%7C%7Ba%7D' : '/old/%c3%bc|{a}';
      expect(requests.map(({ status, method, path }) => `${status} ${method} ${path}`)).to.deep.equal([
        '200 GET /',
        '404 GET /old/flat-tyre?ref=1',
        '404 HEAD /old/gone',
        `404 GET /old/%C3%BC${quote}quoted${quote}`,
        `404 GET ${last}`,
      ]);
      const [, visit] = requests;
      expect(visit).to.deep.include({ origin, referrer, userAgent: agent, ip: '127.0.0.1' });
      expect(visit?.at.toISOString()).to.match(/^2026-11-30T(?:17:21:3[01]|21:44:3[34])\./);
    });
});

describe("a line of HAProxy's option httplog", () => {
  const line = (more: { client?: string; captured?: string; request?: string; time?: string }): string =>
    `${more.client ?? '203.0.113.9:33317'} [${more.time ?? '06/Feb/2009:12:14:14.655'}] http-in static/srv1 10/0/30/69/109 404 2750 - - ---- 1/1/1/1/+3 0/0 ${more.captured ?? ''}"${more.request ?? 'GET /gone HTTP/1.1'}"`;
  const read = (text: string): unknown => new AccessLog('haproxy').push(text);

  it('has the address of IPv6, and the forwarded one that was captured', () => {
    expect(read(line({ client: '2001:db8::7:33317' }))).to.include({ ip: '2001:db8::7' });
    expect(read(line({ client: '10.0.0.1:7', captured: '{198.51.100.4} {} ' }))).to.include({ ip: '198.51.100.4' });
  });

  it('has captured values with special characters, and takes no address for a host', () => {
    expect(read(line({ captured: '{Uptime/2 #22caf#C3#A9#22|198.51.100.4:80} ' }))).to.include({
      userAgent: 'Uptime/2 "café"',
      origin: null,
    });
  });

  it('is refused with a reason', () => {
    for (const [text, reason] of [
      [line({ time: '31/Feb/2009:12:14:14.655' }), 'its time is not like 06/Feb/2009:12:14:14.655'],
      [line({}).slice(0, -1), 'not a line of option httplog'],
      ['Connect from 127.0.0.1:1 to 127.0.0.1:2 (plain/TCP)', 'not a line of option httplog'],
    ] as const)
      expect(read(text), text).to.have.property('refused').that.includes(reason);
    expect(read(line({ request: '<BADREQ>' }))).to.include({ method: '', path: '' });
  });

  it('is quoted where no format fits', () => {
    const log = new AccessLog();
    log.push('2026/11/20 13:55:36 [error] 29#29: *1 open() failed');
    expect(() => {
      log.end();
    }).to.throw('in no known format: "2026/11/20 13:55:36 [error] 29#29: *1 open() failed"');
  });
});
