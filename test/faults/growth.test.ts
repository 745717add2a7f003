import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import type { Embedder } from '#src/embedding/embedder.js';
import { readTokenizerFile } from '#src/embedding/tokenizer.js';
import { createUnigram, unigramPieces } from '#src/embedding/vocabulary.js';
import type { Vocabulary } from '#src/embedding/vocabulary.js';
import { readEvent } from '#src/events/read-event.js';
import { nestsDeeper } from '#src/base/json.js';
import { redirectKeys, pathKey, plainPath } from '#src/text/paths/plain-path.js';
import { readDeadPath, looksLikeProbe } from '#src/text/paths/dead-path.js';
import { readRedirect } from '#src/rule-formats/read-redirect.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { cutBeginning } from '#src/pages/indexing/embed-page.js';
import { parseExclusion, parsePageUrl } from '#src/text/page-url.js';
import { preparePath } from '#src/search/ranking/evidence/path-evidence.js';
import { trigramSignature } from '#src/text/words/likeness.js';
import { makeTitle, sanitizePath } from '#src/text/paths/sanitize-path.js';
import { readPageWords, searchedWords } from '#src/text/words/terms.js';
import { correctSpelling } from '#src/search/ranking/spelling/correct-spelling.js';
import { readingsToLookUp } from '#src/search/ranking/spelling/word-readings.js';
import { wordForms } from '#src/text/words/word-forms.js';
import { attempt, LEAST_MS, LONGER, MOST, repeated, spent, UNITS, worstGrowth } from '../support/growth.js';
import { livePath } from '../support/live-path.js';

const correct = (text: string): void => {
  const { words, slug } = sanitizePath(text);
  const near = new Map(
    words.map((word) => [
      word,
      [
        { word: `${word.slice(0, -1)}x`, pages: 3 },
        { word: `x${word}`, pages: 2 },
      ],
    ]),
  );
  const known = new Map(readingsToLookUp(words).map((probe) => [probe, probe.length % 3]));
  correctSpelling({ words, slug }, known, near, (word) => word.length % 2 === 0);
};

describe('the work that text makes grows as its length does', function () {
  this.timeout(300_000);
  const words = { words: ['help', 'returns'], slug: ['returns'] };
  const live = livePath('/help/returns');
  const check = createPageCheck();
  const now = new Date(0);

  const PATHS: Record<string, (text: string) => void> = {
    'what a path means': (text) => void sanitizePath(text),
    'its title': (text) => void makeTitle(text),
    "whether it is a scanner's": (text) => void looksLikeProbe(text),
    'the keys of its moves': (text) => void redirectKeys(plainPath(text)),
    'its key': (text) => void pathKey(text),
    'its spelling': correct,
    "its words' forms": (text) => void sanitizePath(text).words.map(wordForms),
    'its signature': (text) => void trigramSignature(sanitizePath(text).words.join(' ')),
    'a comparison with a live path': (text) =>
      void preparePath(readDeadPath(text), sanitizePath(text).words, () => 1).compare(live),
    'a comparison of a live path': (text) =>
      void preparePath(readDeadPath('/help/returns'), words.words, () => 1).compare(livePath(text)),
    "a page's url": (text) => void parsePageUrl(`https://a.example/${text}`),
    'an excluded url': (text) => void parseExclusion(text),
  };
  for (const [what, task] of Object.entries(PATHS)) {
    it(`${what}, up to the 4,096 characters that are read`, () => {
      const { growth, text } = worstGrowth(4_096, task);
      expect(growth, text).to.be.at.most(MOST);
    });
  }

  it('the words of a question of 2,000 characters', () => {
    const { growth, text } = worstGrowth(2_000, (query) => void searchedWords(query));
    expect(growth, text).to.be.at.most(MOST);
  });

  it('a line of a file of redirects of 65,536 characters', () => {
    for (const [before, behind, file] of [
      ['', '', 'map'],
      ['/a ', '', 'map'],
      ['/a /b ', '', 'map'],
      ['', ' /b', 'map'],
      ['rewrite ^', '$ /b permanent;', 'map'],
      ['location = ', ' { return 301 /b; }', 'map'],
      ['"', '" /b', 'map'],
      ['if ($request_uri ~ "', '") { return 301 /b; }', 'map'],
      ['RewriteRule "^', '$" "/b" [R=301]', 'map'],
      ['RewriteRule "^/a$" "', '" [R=301]', 'map'],
      ['redir ', ' /b', 'map'],
      ['@a path_regexp ', '', 'map'],
      ['http-request redirect location ', ' if { path /a }', 'map'],
      ['[{"path":"/a","expected":"', '"},', 'map'],
      ['{"path":"/a","expected":"', '"}', 'map'],
      ['"/', '",/b', 'map.csv'],
    ] as const) {
      const { growth, text } = worstGrowth(65_536, (line) => {
        attempt(() => {
          for (const rule of new RedirectFile(file).push(before + line + behind)) readRedirect(rule);
        });
      });
      expect(growth, text).to.be.at.most(MOST);
    }
  });

  it('an event with a megabyte in every field', () => {
    const { growth, text } = worstGrowth(
      1_048_576,
      (value) => {
        attempt(() =>
          readEvent(
            { raw_path: value, origin: value, referrer: value, user_agent: value, user_ip: value },
            { ipMode: 'truncate', now, retentionDays: 400 },
          ),
        );
        attempt(() =>
          readEvent(
            { clicked_url: value, clicked_rank: 1, raw_path: value, search_id: value, timestamp: value },
            { ipMode: 'truncate', now, retentionDays: 400 },
          ),
        );
      },
      [''],
    );
    expect(growth, text).to.be.at.most(MOST);
  });

  it('the checks of a page with 64 KiB of metadata, in one text, in many, in many keys, in levels', () => {
    const shapes: ((text: string) => unknown)[] = [
      (text) => text,
      (text) => [...text.slice(0, text.length / 8)],
      (text) =>
        Object.fromEntries(
          Array.from({ length: text.length / 32 }, (_, i) => [`${text.slice(0, 8)}${i}`, text.slice(i, i + 8)]),
        ),
      // A long key above many entries: what names an entry holds the key.
      (text) => ({ [text.slice(0, text.length / 2)]: Array.from({ length: text.length / 8 }, () => 1) }),
      (text) =>
        Array.from({ length: 30 }).reduce<unknown>((inner) => ({ [text.slice(0, text.length / 64)]: inner }), 1),
    ];
    for (const shape of shapes) {
      const { growth, text } = worstGrowth(
        65_536,
        (value) => {
          attempt(() => check({ url: 'https://a.example/', content: 'a', metadata: { a: shape(value) } }));
        },
        [''],
      );
      expect(growth, text).to.be.at.most(MOST);
    }
  });

  it('the words of a content of a megabyte, and its beginning', () => {
    const { growth, text } = worstGrowth(
      1_000_000,
      (content) => {
        readPageWords(content);
        cutBeginning(content);
      },
      [''],
    );
    expect(growth, text).to.be.at.most(MOST);
  });

  it('the depth of a body of two megabytes', () => {
    const { growth, text } = worstGrowth(2_097_152, (body) => void nestsDeeper(Buffer.from(body), 150_000), ['']);
    expect(growth, text).to.be.at.most(MOST);
  });

  it('the pieces of a text without blanks, under a Unigram vocabulary', async () => {
    const read = await readTokenizerFile(join(packageRoot(), 'models', 'pathmend-multilingual-v1'));
    const unigram = createUnigram(read.vocabulary as Vocabulary, read.scores as Float32Array);
    const { growth, text } = worstGrowth(65_536, (word) => void unigramPieces(unigram, word), ['']);
    expect(growth, text).to.be.at.most(MOST);
  });

  describe('under the bundled model', () => {
    let embedder: Embedder;
    let fingerprint: string;

    before(async () => {
      embedder = new EmbedderPool({ pageThreads: 1, cacheFolder: '' });
      ({ fingerprint } = await embedder.load('static'));
    });
    after(() => embedder.stop());

    async function readGrowth(
      most: number,
      task: (text: string) => Promise<unknown>,
    ): Promise<{ growth: number; text: string }> {
      let worst = { growth: 0, text: '' };
      const measure = async (text: string): Promise<number> => {
        const before = process.cpuUsage();
        await task(text);
        return spent(before);
      };
      for (const unit of UNITS) {
        let growth = Infinity;
        for (let tries = 0; tries < 12 && growth > MOST; tries++) {
          growth = Math.min(
            growth,
            (await measure(repeated(unit, most, ''))) /
              Math.max(LEAST_MS, await measure(repeated(unit, most / LONGER, ''))),
          );
        }
        if (growth > worst.growth) worst = { growth, text: JSON.stringify(unit) };
      }
      return worst;
    }

    it('a question of 2,000 characters', async () => {
      const { growth, text } = await readGrowth(2_000, (query) => embedder.embedQuery(fingerprint, query));
      expect(growth, text).to.be.at.most(MOST);
    });

    it('a content of 65,536 characters, cut into passages', async () => {
      const { growth, text } = await readGrowth(65_536, (content) => embedder.embedContent(fingerprint, content));
      expect(growth, text).to.be.at.most(MOST);
    });
  });
});
