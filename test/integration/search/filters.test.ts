import { expect } from 'chai';
import type { Filters, JsonObject, JsonValue } from '#src/base/glossary.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const SCALARS = JSON.parse(
  '["true", "false", "null", "1", "", "pens", "Pens", "a", 0, 1, -1, 1.5, 1e21, true, false, null]',
) as (string | number | boolean | null)[];
const VALUES: JsonValue[] = [
  ...SCALARS,
  ...(JSON.parse(`[[], [true], ["true"], [1], ["1"], [null], [["a"]], [{"a": "a"}], ["a", "pens", 1, null], [0, 1.5, false],
    {}, {"a": "a"}, {"pens": 1}, {"0": "a"}]`) as JsonValue[]),
];
const KEYS = ['kind', 'size', 'tags', 'Kind', 'a.b'];
const WORDS =
  `pens parcels opening hours steel tomatoes saturn moons labels winter rain copper bread letters shop`.split(/\s+/);

interface Page {
  url: string;
  path: string;
  content: string;
  metadata: JsonObject | undefined;
}

/** A fixed sequence that looks random (Park and Miller). */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

function generatePages(): Page[] {
  const next = sequence(7);
  return Array.from({ length: 60 }, (_, at) => {
    const metadata: JsonObject = {};
    for (const key of KEYS) if (next(3) > 0) metadata[key] = VALUES[next(VALUES.length)] ?? null;
    const content = Array.from({ length: 6 }, () => WORDS[next(WORDS.length)]).join(' ');
    return {
      url: `https://shop.example/page-${at}`,
      path: `/page-${at}`,
      content,
      metadata: at % 10 === 9 ? undefined : metadata,
    };
  });
}

/** The contract's words: the field equals the scalar, types included, or is an array that contains it. */
function matches(page: Page, filters: Filters): boolean {
  return Object.entries(filters).every(([key, scalar]) => {
    if (!page.metadata || !Object.hasOwn(page.metadata, key)) return false;
    const value = page.metadata[key];
    return value === scalar || (Array.isArray(value) && value.includes(scalar));
  });
}

describe('filters', () => {
  const pages = generatePages();
  let project: TestProject;
  let ranked: string[];

  before(async () => {
    project = await sharedService().newProject();
    for (const { url, content, metadata } of pages) {
      await project.upsert({ url, content, ...(metadata ? { metadata } : {}) });
    }
    await project.indexed();
    ranked = await retrieved({});
    expect(ranked).to.have.lengthOf(60);
  });

  const QUERY = 'steel pens and parcels in winter';
  const urls = (list: { url: string }[]): string[] => list.map(({ url }) => url);
  const retrieved = async (filters: Filters, top_k = 100): Promise<string[]> =>
    urls((await project.post('/v1/retrieve', { query: QUERY, top_k, filters })).body.documents as Page[]);
  const searched = async (route: string, filters: Filters, limit = 100): Promise<string[]> =>
    urls(
      (
        await project.post(route, {
          path: '/pens/winter',
          query: QUERY,
          limit,
          options: { searchThreshold: 0, filters },
        })
      ).body.suggestions as Page[],
    );
  const wanted = (filters: Filters): Page[] => pages.filter((page) => matches(page, filters));

  /** The answer of a full scan over the matching pages: the ranking of all pages, without those that do not match. */
  function scan(filters: Filters): string[] {
    const allowed = new Set(urls(wanted(filters)));
    return ranked.filter((url) => allowed.has(url));
  }

  it('match exactly the pages that a full scan finds: every key with every scalar', async () => {
    let matched = 0;
    for (const key of KEYS) {
      for (const scalar of [...SCALARS, 'nowhere', 1e-7]) {
        const filters = { [key]: scalar };
        const expected = scan(filters);
        matched += expected.length;
        expect(await retrieved(filters), JSON.stringify(filters)).to.deep.equal(expected);
      }
    }
    expect(matched, 'pages that matched at all').to.be.above(100);
  });

  it('combine with AND', async () => {
    let matched = 0;
    for (const page of pages) {
      const scalars = Object.entries(page.metadata ?? {}).map(
        ([key, value]) => [key, Array.isArray(value) ? value[0] : value] as const,
      );
      const filters = Object.fromEntries(
        scalars.filter(([, value]) => typeof value !== 'object' || value === null).slice(0, 3),
      ) as Filters;
      if (Object.values(filters).includes(undefined as never) || Object.keys(filters).length < 2) continue;
      matched++;
      const expected = scan(filters);
      expect(expected, page.url).to.include(page.url);
      expect(await retrieved(filters), JSON.stringify(filters)).to.deep.equal(expected);
    }
    expect(matched).to.be.above(15);
    const none: Filters = { kind: 'pens', size: 'nowhere' };
    expect(await retrieved(none)).to.deep.equal([]);
  });

  it('of suggest and semantic-search mean the same as those of retrieve', async () => {
    for (const key of ['kind', 'tags']) {
      for (const scalar of SCALARS) {
        const filters = { [key]: scalar };
        const paths = wanted(filters).map(({ path }) => path);
        expect(await searched('/v1/semantic-search', filters), JSON.stringify(filters)).to.deep.equal(
          scan(filters).map((url) => new URL(url).pathname),
        );
        expect(await searched('/v1/suggest', filters), JSON.stringify(filters)).to.have.members(paths);
      }
    }
  });

  it('are applied before the search: a small limit is filled from the matching pages', async () => {
    for (const scalar of SCALARS) {
      const filters = { tags: scalar };
      expect(await retrieved(filters, 2)).to.deep.equal(scan(filters).slice(0, 2));
      expect(await searched('/v1/semantic-search', filters, 2)).to.deep.equal(
        scan(filters)
          .slice(0, 2)
          .map((url) => new URL(url).pathname),
      );
      expect(await searched('/v1/suggest', filters, 2)).to.deep.equal(
        (await searched('/v1/suggest', filters)).slice(0, 2),
      );
    }
  });

  it('are exact in the key, too: case, dots and nesting count', async () => {
    const freshProject = await sharedService().newProject();
    const metadata = { Kind: 'x', 'a.b': 'x', a: { b: 'y' }, list: [{ b: 'z' }], 'sp ace': 'x' };
    await freshProject.upsert({ url: 'https://shop.example/', content: 'pens', metadata });
    await freshProject.indexed();
    const count = async (filters: Filters): Promise<number> =>
      ((await freshProject.post('/v1/retrieve', { query: 'pens', filters })).body.documents as unknown[]).length;
    for (const key of ['Kind', 'a.b', 'sp ace']) expect(await count({ [key]: 'x' }), key).to.equal(1);
    const near = [
      ['kind', 'x'],
      ['a.b', 'y'],
      ['b', 'y'],
      ['list.b', 'z'],
      ['b', 'z'],
      ['Kind', 'X'],
      ['Kind ', 'x'],
      ['Kind', 'x '],
    ] as const;
    for (const [key, value] of near) {
      expect(await count({ [key]: value }), `${key}=${value}`).to.equal(0);
    }
  });

  it('follow a change of metadata at once', async () => {
    const freshProject = await sharedService().newProject();
    const page = { url: 'https://shop.example/pens', content: 'pens' };
    await freshProject.upsert({ ...page, metadata: { kind: 'old' } });
    await freshProject.indexed();
    await freshProject.upsert({ ...page, metadata: { kind: 'new' } });
    for (const [kind, count] of [
      ['old', 0],
      ['new', 1],
    ] as const) {
      const { body } = await freshProject.post('/v1/suggest', {
        path: '/pens',
        options: { searchThreshold: 0, filters: { kind } },
      });
      expect(body.suggestions, kind).to.have.lengthOf(count);
    }
  });
});
