import { gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { BadSitemap, readSitemap, type SitemapEntry } from '#src/sources/web/read-sitemap.js';

const A = 'https://www.example.com/a/';
const B = 'https://www.example.com/b/';
const DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n';
const BEGIN = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const entry = (loc: string, more = ''): string => `<url><loc>${loc}</loc>${more}</url>`;
const WHOLE = `${BEGIN}${entry(A)}${entry(B)}</urlset>`;

async function read(text: string | Buffer, piece = Infinity): Promise<SitemapEntry[]> {
  const bytes = Buffer.from(text as string);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += piece) chunks.push(bytes.subarray(at, Math.min(at + piece, bytes.length)));
  const entries: SitemapEntry[] = [];
  for await (const sitemapEntry of readSitemap(Readable.from(chunks), 10_000_000)) entries.push(sitemapEntry);
  return entries;
}

const urls = async (text: string | Buffer, piece?: number): Promise<string[]> =>
  (await read(text, piece)).map(({ url }) => url);

function utf16(text: string, isBigEndian: boolean): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

describe('a sitemap', () => {
  const sloppy: Record<string, string | Buffer> = {
    'begins with an empty line': `\n${DECLARED}${WHOLE}`,
    'begins with a byte order mark': `\uFEFF${DECLARED}${WHOLE}`,
    'has its byte order mark behind an empty line': `\n \uFEFF${DECLARED}${WHOLE}`,
    'begins with a comment': `<!-- cached by <url> -->\n${DECLARED}${WHOLE}`,
    "begins with a server's notice in HTML": `<br />\n<b>Warning</b>: foo<br>\n<p>bar\n${DECLARED}${WHOLE}`,
    "begins with a server's notice in plain text": `Warning: file_get_contents(https://x) in /srv\n${DECLARED}${WHOLE}`,
    'begins with a notice and has no declaration': `Notice: foo in bar.php on line 3\n${WHOLE}`,
    'goes on after its end': `${DECLARED}${WHOLE}\n<b>Notice</b>: x`,
    'has a notice between its entries': `${BEGIN}${entry(A)}<br><b>Warning</b>: x<br />${entry(B)}</urlset>`,
    'uses an entity of HTML': `${DECLARED}${BEGIN}${entry(A)}${entry(B, '<x>&nbsp;</x>')}</urlset>`,
    'has control characters': `${BEGIN}${entry(A)}${entry(`\x0b${B}\x01`, '<lastmod>2025\x01</lastmod>')}</urlset>`,
    'has a prefix of its own': `<s:urlset><s:url><s:loc>${A}</s:loc></s:url><s:url><s:loc>${B}</s:loc></s:url></s:urlset>`,
    'has elements in capitals': `<URLSET><URL><LOC>${A}</LOC></URL><URL><LOC>${B}</LOC></URL></URLSET>`,
    'does not close an entry': `${BEGIN}<url><loc>${A}</loc><url><loc>${B}</loc></url></urlset>`,
    'does not close a url': `${BEGIN}<url><loc>${A}<lastmod>2025</lastmod></url>${entry(B)}</urlset>`,
    'has an attribute without quotes': `<urlset xmlns=http://www.sitemaps.org/>${entry(A)}${entry(B)}</urlset>`,
    'has its urls as CDATA': `${BEGIN}${entry(`<![CDATA[${A}]]>`)}${entry(B)}</urlset>`,
    'has images': `${BEGIN}${entry(A, '<image:image><image:loc>https://i.example/</image:loc></image:image>')}${entry(B)}</urlset>`,
    'has entries in comments': `${BEGIN}${entry(A)}<!--${entry('https://www.example.com/c')}-->${entry(B)}</urlset>`,
    'is two in one file': `${DECLARED}${BEGIN}${entry(A)}</urlset>${DECLARED}${BEGIN}${entry(B)}</urlset>`,
    'says UTF-16 and is not': WHOLE.replace(/^/, '<?xml version="1.0" encoding="UTF-16"?>'),
    'names an encoding that nobody knows': WHOLE.replace(/^/, '<?xml version="1.0" encoding="unknown"?>'),
    'is UTF-16 with its mark': utf16(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${WHOLE}`, false),
    'is UTF-16, the other way round': utf16(`\uFEFF${DECLARED}${WHOLE}`, true),
    'is UTF-16 without its mark': utf16(`${DECLARED}${WHOLE}`, false),
    'is packed': gzipSync(`\n${DECLARED}${WHOLE}`),
    'is a list': `# of the shop\r\n${A}\r\n\r\n ${B} `,
    'is a list with a byte order mark': `\uFEFF${A}\n${B}`,
  };
  for (const [what, text] of Object.entries(sloppy))
    it(`is read although it is sloppy: it ${what}`, async () => {
      expect(await urls(text)).to.deep.equal([A, B]);
      expect(await urls(text, 7), 'in small pieces').to.deep.equal([A, B]);
    });

  it('has raw ampersands in its urls, as most templates write them', async () => {
    const text = `${DECLARED}${BEGIN}${entry(A)}${entry(`${A}?x=1&y=2&copy=3&amp;z=4`)}${entry(B)}</urlset>`;
    expect(await urls(text)).to.deep.equal([A, `${A}?x=1&y=2&copy=3&z=4`, B]);
  });

  it('loses an entry that cannot be read, by name, and no other one', async () => {
    for (const bad of [`${A}&foo;`, `${A}?a<b`, `${A}${'x'.repeat(5_000)}`, `<a href="${A}">here</a>`]) {
      const [first, lost, last, ...more] = await urls(`${BEGIN}${entry(A)}${entry(bad)}${entry(B)}</urlset>`);
      expect([first, last, more]).to.deep.equal([A, B, []]);
      expect(lost).to.match(/^an entry \(/);
    }
    const latin = Buffer.from(`${BEGIN}${entry(A)}${entry(`${A}\xe9`)}${entry(B)}</urlset>`, 'latin1');
    expect((await urls(latin))[1]).to.match(/^an entry \(it is in another encoding/);
    const declared = Buffer.concat([Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>'), latin]);
    expect(await urls(declared)).to.deep.equal([A, `${A}é`, B]);
  });

  it('that is an index leads to other sitemaps, each with its date', async () => {
    const text = `\n<!-- x -->\n<sitemapindex><sitemap><loc> ${A} </loc><lastmod>2025-01-01</lastmod></sitemap></sitemapindex>`;
    expect(await read(text)).to.deep.equal([{ kind: 'sitemap', url: A, lastmod: '2025-01-01' }]);
  });

  const broken: Record<string, [text: string, reason: RegExp]> = {
    'a page of HTML': ['<!doctype html><html><body><p>Not found</p></body></html>', /begins with <html>/],
    'plain text': ['Not found', /neither XML nor a list of urls/],
    nothing: [' \n', /empty/],
    'cut off': [`${BEGIN}${entry(A)}<url><lo`, /ends before <\/urlset>/],
    'nested endlessly': [`${BEGIN}${'<a>'.repeat(10_000)}`, /nested too deeply/],
  };
  for (const [what, [text, reason]] of Object.entries(broken))
    it(`is none where it is ${what}`, async () => {
      const error = await read(text).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(BadSitemap);
      expect(String(error)).to.match(reason);
    });
});
