import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { AccessLog, LOG_FORMATS, type LogFormat } from '#src/text/access-logs/access-log.js';
import type { LoggedRequest } from '#src/text/access-logs/logged-request.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

/** Returns the 404s in a log, and the reasons of refused lines. */
function readLog(lines: readonly string[], format?: LogFormat): { requests: LoggedRequest[]; refused: string[] } {
  const log = new AccessLog(format);
  const read = lines.map((line) => log.push(line)).filter((entry) => entry !== undefined);
  log.end();
  return {
    requests: read.filter((entry) => 'at' in entry).filter(({ status }) => status === 404),
    refused: read.filter((entry) => 'refused' in entry).map((entry) => entry.refused),
  };
}

/** Returns the request that most samples have, with these fields in place of its own. */
function logged(fields: Partial<LoggedRequest> & Pick<LoggedRequest, 'path'>): LoggedRequest {
  const at = new Date('2026-11-20T13:55:36Z');
  const nobody = { origin: null, referrer: null, userAgent: CHROME, ip: '203.0.113.9' };
  return { at, status: 404, method: 'GET', ...nobody, ...fields };
}

/**
 * For each format, some lines as the server's manual shows them, of which one is a 404, and the request of that line.
 */
const SAMPLES: { title: string; format: LogFormat; lines: string[]; request: LoggedRequest }[] = [
  {
    title: "Apache's common",
    format: 'common',
    lines: [
      '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
      '127.0.0.1 - frank [10/Oct/2000:13:55:40 -0700] "HEAD /apache_pc.gif HTTP/1.0" 404 -',
    ],
    request: logged({
      at: new Date('2000-10-10T20:55:40Z'),
      method: 'HEAD',
      path: '/apache_pc.gif',
      userAgent: null,
      ip: '127.0.0.1',
    }),
  },
  {
    title: "JSON by Logstash's pattern for Apache",
    format: 'json',
    lines: [
      JSON.stringify({
        '@timestamp': '2026-11-20T13:55:36.000Z',
        host: 'shipper-1',
        path: '/var/log/apache2/access.log',
        message: '203.0.113.9 - - [20/Nov/2026:13:55:36 +0000] "GET /old/flat-tyre HTTP/1.1" 404 153',
        clientip: '203.0.113.9',
        timestamp: '20/Nov/2026:13:55:36 +0000',
        verb: 'GET',
        request: '/old/flat-tyre',
        response: '404',
        referrer: '-',
        agent: `"${CHROME}"`,
      }),
    ],
    request: logged({ path: '/old/flat-tyre' }),
  },
  {
    title: 'JSON by the Elastic Common Schema',
    format: 'json',
    lines: [
      JSON.stringify({
        '@timestamp': '2026-11-20T13:55:36.120Z',
        agent: { type: 'filebeat' },
        source: { ip: '2001:db8::7' },
        http: { request: { method: 'GET', referrer: 'https://a.example/' }, response: { status_code: 404 } },
        'url.path': '/old/flat-tyre',
        'url.query': 'ref=1',
        user_agent: { original: CHROME },
      }),
    ],
    request: logged({
      at: new Date('2026-11-20T13:55:36.120Z'),
      path: '/old/flat-tyre?ref=1',
      referrer: 'https://a.example/',
      ip: '2001:db8::7',
    }),
  },
  {
    title: "Caddy's JSON of release 2.7 and later",
    format: 'caddy',
    lines: [
      '{"level":"info","ts":1646861400.1,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"41342","client_ip":"127.0.0.1","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/","headers":{"User-Agent":["curl/7.82.0"],"Accept":["*/*"]},"tls":{"resumed":false,"version":772,"cipher_suite":4865,"proto":"h2","server_name":"example.com"}},"bytes_read":0,"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Server":["Caddy"]}}',
      '{"level":"info","ts":1646861401.5241024,"msg":"certificate obtained successfully","identifier":"example.com"}',
      '{"level":"error","ts":1646861401.6,"logger":"http.log.error","msg":"no such file","request":{"method":"GET","host":"example.com","uri":"/gone","headers":{}},"status":404}',
      `{"level":"info","ts":1646861401.625,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.0.1","client_ip":"203.0.113.9","proto":"HTTP/2.0","method":"GET","host":"example.com","uri":"/gone?a=1","headers":{"User-Agent":["${CHROME}"],"Referer":["https://a.example/"]},"tls":{"version":772}},"duration":0.1,"size":0,"status":404,"resp_headers":{}}`,
    ],
    request: logged({
      at: new Date(1_646_861_401_625),
      path: '/gone?a=1',
      origin: 'https://example.com',
      referrer: 'https://a.example/',
    }),
  },
  {
    title: "IIS's W3C",
    format: 'iis',
    lines: [
      '\uFEFF#Software: Microsoft Internet Information Services 10.0',
      '#Version: 1.0',
      '#Date: 2026-11-20 13:00:01',
      '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken',
      '2026-11-20 13:55:30 10.0.0.5 GET / - 443 - 203.0.113.9 Mozilla/5.0+(Windows+NT+10.0;+Win64;+x64) - 200 0 0 15',
      `2026-11-20 13:55:36 10.0.0.5 GET /old/über.aspx id=7 443 - fe80::1%4 ${CHROME.replaceAll(' ', '+')} https://a.example/ 404 0 2 31`,
    ],
    request: logged({ path: '/old/über.aspx?id=7', referrer: 'https://a.example/', ip: 'fe80::1%4' }),
  },
  {
    title: "CloudFront's standard log",
    format: 'cloudfront',
    lines: [
      '#Version: 1.0',
      '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end',
      `2026-11-20\t13:55:36\tFRA2-C1\t392\t2001:db8::7\tGET\td111111abcdef8.cloudfront.net\t/old/caf%C3%A9\t404\thttps://a.example/\t${encodeURI(CHROME)}\tref=1\t-\tError\tSOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==\twww.example.com\thttps\t23\t0.001\t-\tTLSv1.3\tTLS_AES_128_GCM_SHA256\tError\tHTTP/2.0\t-\t-\t11040\t0.001\tError\ttext/html\t78\t-\t-`,
    ],
    request: logged({
      path: '/old/caf%C3%A9?ref=1',
      origin: 'https://www.example.com',
      referrer: 'https://a.example/',
      ip: '2001:db8::7',
    }),
  },
  {
    title: "Traefik's JSON",
    format: 'json',
    lines: [
      `{"ClientAddr":"203.0.113.9:51234","ClientHost":"203.0.113.9","DownstreamStatus":404,"Duration":812345,"OriginStatus":404,"RequestHost":"www.example.com","RequestMethod":"GET","RequestPath":"/old/flat-tyre?ref=1","RequestScheme":"https","StartUTC":"2026-11-20T13:55:36Z","level":"info","msg":"","request_User-Agent":"${CHROME}","request_Referer":"https://www.example.com/guides","time":"2026-11-20T13:55:37Z"}`,
    ],
    request: logged({
      path: '/old/flat-tyre?ref=1',
      origin: 'https://www.example.com',
      referrer: 'https://www.example.com/guides',
    }),
  },
  {
    title: "Cloudflare's Logpush",
    format: 'json',
    lines: [
      `{"ClientIP":"203.0.113.9","ClientRequestHost":"www.example.com","ClientRequestMethod":"GET","ClientRequestReferer":"","ClientRequestScheme":"https","ClientRequestURI":"/old/flat-tyre","ClientRequestUserAgent":"${CHROME}","EdgeResponseStatus":404,"EdgeStartTimestamp":1795182936000000000}`,
    ],
    request: logged({ path: '/old/flat-tyre', origin: 'https://www.example.com' }),
  },
  {
    title: "Google's load balancer",
    format: 'json',
    lines: [
      `{"httpRequest":{"remoteIp":"203.0.113.9","requestMethod":"GET","requestUrl":"https://www.example.com/old/flat-tyre","status":404,"userAgent":"${CHROME}"},"timestamp":"2026-11-20T13:55:36.000000Z"}`,
    ],
    request: logged({ path: '/old/flat-tyre', origin: 'https://www.example.com' }),
  },
  {
    title: "AWS's Application Load Balancer",
    format: 'alb',
    lines: [
      `https 2026-11-20T13:55:36.000000Z app/web/50dc6c495c0c9188 203.0.113.9:2817 10.0.0.1:80 0.086 0.048 0.037 404 404 0 57 "GET https://www.example.com:443/old/flat-tyre HTTP/1.1" "${CHROME}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:x "Root=1-58337262-36d228ad5d99923122bbe354" "www.example.com" "-" 0 2026-11-20T13:55:35.900000Z "forward" "-" "-" "10.0.0.1:80" "404" "-" "-"`,
      `h2 2026-11-20T13:55:40.000000Z app/web/50dc6c495c0c9188 203.0.113.9:2818 - -1 -1 -1 502 - 0 57 "GET https://www.example.com:443/ HTTP/2.0" "-" - - -`,
    ],
    request: logged({ path: '/old/flat-tyre', origin: 'https://www.example.com' }),
  },
];

const combined = (more: { request?: string; time?: string; referrer?: string; userAgent?: string }): string =>
  `203.0.113.9 - - [${more.time ?? '20/Nov/2026:13:55:36 +0000'}] "${more.request ?? 'GET /gone HTTP/1.1'}" 404 153 "${more.referrer ?? '-'}" "${more.userAgent ?? CHROME}"`;

describe('an access log', () => {
  for (const { title, format, lines, request } of SAMPLES) {
    it(`of ${title} is told from its first lines, and read`, () => {
      for (const known of [undefined, format])
        expect(readLog(lines, known)).to.deep.equal({ requests: [request], refused: [] });
    });
  }

  it('has samples of every format here, or of real servers in real-logs.test.ts', () => {
    expect(new Set([...SAMPLES.map(({ format }) => format), 'haproxy', 'combined'])).to.deep.equal(
      new Set(LOG_FORMATS),
    );
  });

  const readLine = (line: string): LoggedRequest | undefined => readLog([line]).requests[0];

  it('of text may have quotes, backslashes and bytes in a path, a referrer and a user agent', () => {
    expect(readLine(combined({ request: 'GET /caf\\xc3\\xa9/\\"x\\" HTTP/1.1' }))?.path).to.equal('/caf%C3%A9/"x"');
    expect(readLine(combined({ request: 'GET /caf\\xE9\\\\ HTTP/1.1' }))?.path).to.equal('/caf%E9\\');
    expect(readLine(combined({ referrer: 'https://a.example/\\x22\\t' }))?.referrer).to.equal(
      'https://a.example/%22%09',
    );
    expect(readLine(combined({ userAgent: 'a \\"b\\" \\\\ \\xC3\\xA9\\n' }))?.userAgent).to.equal('a "b" \\ é ');
  });

  it('may have whole urls for targets, targets with spaces, and requests without a version', () => {
    expect(readLine(combined({ request: 'GET http://www.example.com:80/gone?a=1 HTTP/1.1' }))).to.include({
      path: '/gone?a=1',
      origin: 'http://www.example.com',
    });
    expect(readLine(combined({ request: 'GET https://www.example.com?a HTTP/1.1' }))).to.include({ path: '/?a' });
    expect(readLine(combined({ request: 'GET /two words HTTP/1.1' }))?.path).to.equal('/two words');
    expect(readLine(combined({ request: 'GET /gone' }))?.path).to.equal('/gone');
  });

  it('may be of any time zone', () => {
    for (const time of ['20/Nov/2026:05:55:36 -0800', '20/Nov/2026:19:25:36 +0530', '21/Nov/2026:02:55:36 +1300'])
      expect(readLine(combined({ time }))?.at.toISOString()).to.equal('2026-11-20T13:55:36.000Z');
  });

  it('in JSON may count its time in seconds, milliseconds or more, as a number or a text', () => {
    const at = (time: unknown): string | undefined =>
      readLine(JSON.stringify({ msec: time, status: 404, request: 'GET /gone HTTP/1.1' }))?.at.toISOString();
    for (const time of [
      1_795_182_936.25,
      '1795182936.250',
      1_795_182_936_250,
      1_795_182_936_250_000,
      '1795182936250000000',
    ])
      expect(at(time)).to.equal('2026-11-20T13:55:36.250Z');
  });

  it('of IIS may change its fields', () => {
    const { requests, refused } = readLog([
      '#Fields: date time cs-method cs-uri-stem sc-status',
      '2026-11-20 13:55:36 GET /a 404',
      '#Fields: date time sc-status cs-host s-port cs-method cs-uri-stem',
      '2026-11-20 13:55:37 404 www.example.com 443 GET /b',
      '2026-11-20 13:55:38 GET /c 404',
    ]);
    expect(requests.map(({ path, origin }) => [path, origin])).to.deep.equal([
      ['/a', null],
      ['/b', 'https://www.example.com'],
    ]);
    expect(refused).to.deep.equal(['it has 5 fields, where #Fields names 7']);
  });

  it('has lines that cannot be read, and says why', () => {
    const reasons: [LogFormat, string, string][] = [
      ['combined', combined({}).slice(0, -4), 'not a line of a common or combined log'],
      ['combined', combined({ time: '31/Feb/2026:13:55:36 +0000' }), 'its time is not like'],
      ['combined', combined({ time: '20/nov/2026:13:55:36 +0000' }), 'its time is not like'],
      ['json', '{"status": 404', 'not a JSON object'],
      ['json', '[404]', 'not a JSON object'],
      ['json', '{"status": 404, "uri": "/x"}', 'it has none of time_iso8601'],
      ['json', '{"status": 404, "time": "yesterday", "uri": "/x"}', 'its time cannot be read: "yesterday"'],
      ['json', '{"status": "no", "time": 1, "uri": "/x"}', 'its status is not a number'],
      ['json', '{"__proto__": {"status": 404}, "time": 1, "uri": "/x"}', 'it has none of status'],
      ['caddy', '{"logger":"http.log.access","request":{},"ts":"x"}', 'it has no ts that is a time'],
      ['iis', '2026-11-20 13:55:36 GET /a 404', 'no #Fields line is before it'],
    ];
    for (const [format, line, reason] of reasons) {
      const log = new AccessLog(format);
      expect(log.push(line), line).to.have.property('refused').that.contains(reason);
      expect(() => {
        log.end();
      }).to.throw(OperatorError, reason);
    }
  });

  it('is refused when its first lines are in no known format; later ones may be', () => {
    expect(() => readLog(Array.from({ length: 1_001 }, () => 'x,y'))).to.throw(OperatorError, '--format');
    expect(readLog(['', 'x,y', combined({})])).to.deep.include({ refused: ['in no known format: "x,y"'] });
    expect(readLog(['', '# nothing'])).to.deep.equal({ requests: [], refused: [] });
  });

  it("is recognized behind what the same server's other loggers wrote, which is passed over", () => {
    const notes = Array.from({ length: 2_000 }, (_, at) =>
      JSON.stringify({ level: 'info', ts: 1795600000.1, ...(at % 2 && { logger: 'tls.obtain' }), msg: 'obtained' }),
    );
    const failed = JSON.stringify({
      ...{ level: 'error', ts: 1795600000.2, logger: 'http.log.error.log0', msg: 'dial', status: 502 },
      request: { method: 'GET', host: 'www.example.com', uri: '/x' },
    });
    const answered = JSON.stringify({
      ...{ level: 'info', ts: 1795600000.5, logger: 'http.log.access.log0', msg: 'handled request', status: 404 },
      request: { remote_ip: '203.0.113.9', method: 'GET', host: 'www.example.com', uri: '/help/alt?x=1' },
    });
    const { requests, refused } = readLog([...notes, failed, answered, failed]);
    expect([requests.map(({ path }) => path), refused]).to.deep.equal([['/help/alt?x=1'], []]);
    expect(() => readLog([...notes, failed])).to.throw(OperatorError, 'it contains no request');
  });

  it('of any format is recognized behind hundreds of lines of another kind, which are refused', () => {
    const otherLines = Array.from({ length: 300 }, () => '2026/11/20 13:55:36 [error] 29#29: *1 open() failed');
    const { requests, refused } = readLog([...otherLines, combined({})]);
    expect([requests.length, refused.length]).to.deep.equal([1, 300]);
  });

  it('is read in a time that grows with the length of its lines', () => {
    for (const hostile of [' [', '[" ', '\\"', '" "', '\\x4', 'GET ', '{"a":', '[', '%25'])
      for (const format of LOG_FORMATS) {
        const log = new AccessLog(format);
        // The processor time is that of this process alone: others may use the machine, too. Quadratic growth takes
        // many seconds.
        const begun = process.cpuUsage();
        log.push('#Fields: date time cs-method cs-uri-stem sc-status');
        log.push(hostile.repeat(65_536 / hostile.length));
        log.push(combined({ request: `GET /${hostile.repeat(65_000 / hostile.length)}` }));
        const { user, system } = process.cpuUsage(begun);
        expect((user + system) / 1_000, `${format} ${hostile}`).to.be.below(1_000);
      }
  });
});
