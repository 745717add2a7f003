import { expect } from 'chai';
import { AccessLog } from '#src/text/access-logs/access-log.js';

const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0.0.0';
const REST = `- - [20/Nov/2026:13:55:36 +0000] "GET /x HTTP/1.1" 404 12`;
const AGENT = `"https://www.google.com/" "${CHROME}"`;

/** A line of text: what stands before the time, and after the user agent. */
const text = (before: string, after = ''): string[] => [`${before} ${REST} ${AGENT}${after && ` ${after}`}`];
const json = (row: object): string[] => [
  JSON.stringify({ time_iso8601: '2026-11-20T10:00:00Z', status: 404, request_uri: '/x', ...row }),
];
const caddy = (request: object): string[] => [
  JSON.stringify({ logger: 'http.log.access', ts: 1795600000.1, status: 404, request: { uri: '/x', ...request } }),
];
const iis = (column: string, value: string, ip = '10.0.0.5'): string[] => [
  `#Fields: date time cs-method cs-uri-stem c-ip cs(User-Agent) sc-status ${column} cs(X-Forwarded-Proto)`,
  `2026-11-20 10:00:00 GET /x ${ip} Mozilla/5.0 404 ${value} https`,
];

const V = '203.0.113.9';
const CASES: Record<string, [string[], string | null]> = {
  "nginx's last field": [text('10.0.0.5', `"${V}"`), V],
  'a list, each proxy after what asked it': [text('10.0.0.5', `"${V}, 10.1.2.3"`), V],
  'a list whose beginning the visitor forged': [text('10.0.0.5', `"8.8.8.8, ${V}"`), V],
  'a field among others': [text('10.0.0.5', `0.012 "-" "${V}" "10.0.0.7:8080" .`), V],
  'a port, as gateways add it': [text('10.0.0.5', `"${V}:4711, 10.1.2.3:80"`), V],
  IPv6: [text('fd00::5', '"2001:db8::7"'), '2001:db8::7'],
  'a hidden proxy': [text('172.16.0.9', `"unknown, ${V}"`), V],
  'no header': [text('10.0.0.5', '"-"'), '10.0.0.5'],
  'no address in the fields': [text('10.0.0.5', '"gzip" 1.23 "10 apples" 127'), '10.0.0.5'],
  'a public address of the connection, whatever the visitor sends': [text('198.51.100.4', `"${V}"`), '198.51.100.4'],
  'an upstream after it': [text('198.51.100.4', '"-" 10.0.0.7:8080'), '198.51.100.4'],
  'an upstream with a public address': [text('10.0.0.5', '34.1.2.3:443'), '10.0.0.5'],
  'a network inside alone': [text('10.0.0.5', '"10.9.8.7, 10.0.0.3"'), '10.9.8.7'],
  "Apache's first column": [text(V), V],
  'a list in the first column': [text(`${V}, 10.0.0.5`), V],
  'a list in quotes in the first column': [text(`"8.8.8.8, ${V}"`), V],
  'a column before that of the connection': [text(`${V} 10.0.0.5`), V],
  'a column after that of the connection': [text(`10.0.0.5 ${V}, 10.0.0.3`), V],
  'brackets around the list': [text(`10.0.0.5 (${V})`), V],
  'a site in front': [text(`www.example.com:443 10.0.0.5 ${V}`), V],
  'a site in front, and a last field': [text('www.example.com:80 10.0.0.5', `"${V}"`), V],
  'a socket': [text('unix:', `"${V}"`), V],
  'JSON by nginx': [json({ remote_addr: '10.0.0.5', http_x_forwarded_for: `${V}, 10.0.0.5` }), V],
  'JSON by name': [json({ remote_ip: '10.0.0.5', x_forwarded_for: V }), V],
  'JSON with the address by another key': [json({ remote_addr: '10.0.0.5', client_ip: V }), V],
  'JSON with Forwarded': [json({ remote_addr: '10.0.0.5', forwarded: `for=${V};proto=https;by=10.0.0.5` }), V],
  'JSON with Forwarded of several': [
    json({
      remote_addr: '10.0.0.5',
      http_forwarded: 'for=8.8.8.8, for="[2001:db8::7]:4711";proto=https, For=10.0.0.3',
    }),
    '2001:db8::7',
  ],
  'JSON with the header empty': [json({ remote_addr: '198.51.100.4', http_x_forwarded_for: '-' }), '198.51.100.4'],
  'JSON without an address': [json({}), null],
  'Caddy without trusted proxies': [
    caddy({ remote_ip: '10.0.0.5', client_ip: '10.0.0.5', headers: { 'X-Forwarded-For': ['8.8.8.8', V] } }),
    V,
  ],
  'Caddy with trusted proxies': [
    caddy({ remote_ip: '10.0.0.5', client_ip: V, headers: { 'X-Forwarded-For': ['8.8.8.8'] } }),
    V,
  ],
  "IIS's column": [iis('X-Forwarded-For', V), V],
  "IIS's column of a list": [iis('X-Forwarded-For', `8.8.8.8,+${V},+10.0.0.3`), V],
  'a column of the W3C': [iis('cs(X-Forwarded-For)', V), V],
  'a column of a request without the header': [iis('cs(X-Forwarded-For)', '-'), '10.0.0.5'],
  'a public address in c-ip': [iis('X-Forwarded-For', '8.8.8.8', V), V],
};

describe('the address of a visitor behind a proxy, in an access log', () => {
  for (const [name, [lines, ip]] of Object.entries(CASES))
    it(`is read: ${name}`, () => {
      const log = new AccessLog();
      expect(lines.map((line) => log.push(line)).at(-1)).to.include({ path: '/x', ip });
    });
});
