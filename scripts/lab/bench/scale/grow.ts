import type { SessionPool } from '#src/platform/database/session/pool.js';
import type { ClientBase } from 'pg';
import { sparsevecFromSql } from 'pgvector/utils';
import { random } from '../../../seeded.js';

/** Two thirds of a page's terms with other weights, and a third of another's: no two made pages are worded alike. */
function mixTerms(
  a: readonly (readonly [number, number])[],
  b: readonly (readonly [number, number])[],
  next: () => number,
): string {
  const mixed = new Map<number, number>();
  for (const [term, weight] of b) if (next() < 1 / 3) mixed.set(term, weight * (0.5 + next() / 2));
  for (const [term, weight] of a) if (next() < 2 / 3) mixed.set(term, weight * (0.5 + next() / 2));
  return `{${[...mixed].map(([term, weight]) => `${term}:${weight.toPrecision(4)}`).join(',')}}/1000000000`;
}

/** Makes the embedding of a chunk: `v` is a chunk of the page's first parent, and `w` the first of the second. */
export const MADE_EMBEDDING = 'l2_normalize(v.embedding + v.embedding + w.embedding)';

/** Numbers the really embedded pages in a temporary table, for {@link PAIRS}. */
export async function numberPages(client: ClientBase, from: string): Promise<void> {
  await client.query(
    `create temp table base as select page_id, row_number() over (order by page_id) - 1 as n from pathmend.indexed_pages where project_id = '${from}'`,
  );
  await client.query('create index on base (n); analyze base');
}

/** Pairs $3 numbered pages, so that no two pairs are the same: each is a made page with a number from $1 to $2. */
export const PAIRS = `
  select a.page_id as a, b.page_id as b, g
    from generate_series($1::int, $2::int) as g
    join base a on a.n = g % $3
    join base b on b.n = (g::bigint * 7919 + g / $3) % $3`;

/**
 * Grows an indexed project to so many chunks without embedding: each made page stands between two real ones, with
 * vectors that are the normalized sums of theirs, terms of both and bits of both paths, so that neighbourhoods are as
 * crowded as a large site's. The vocabulary grows in proportion.
 */
export async function growProject(pool: SessionPool, from: string, to: string, passages: number): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pages: number; passages: number }>(
      `select (select count(*)::int from pathmend.indexed_pages where project_id = $1) as pages,
              (select count(*)::int from pathmend.chunks where project_id = $1) as passages`,
      [from],
    );
    const base = rows[0] ?? { pages: 1, passages: 1 };
    const pages = Math.max(1, Math.round((passages / base.passages) * base.pages));
    await numberPages(client, from);
    const terms = new Map<string, (readonly [number, number])[]>();
    for (const row of (
      await client.query<{ page_id: string; terms: string }>(
        'select page_id, terms::text as terms from pathmend.page_terms where project_id = $1',
        [from],
      )
    ).rows) {
      const { indices, values } = sparsevecFromSql(row.terms) as { indices: number[]; values: number[] };
      terms.set(
        row.page_id,
        indices.map((index, at) => [index + 1, values[at] ?? 0]),
      );
    }
    const next = random(11);
    const STEP = 20_000;
    for (let done = 0; done < pages; done += STEP) {
      await client.query('begin');
      // The identity of the made page is its number.
      await client.query(
        `create temp table made on commit drop as
         select substr(md5($4 || ':' || g), 1, 24) as page_id, a, b, g from (${PAIRS}) as pairs`,
        [done, Math.min(pages, done + STEP) - 1, base.pages, to],
      );
      await client.query('analyze made');
      await client.query(
        `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, title, content, content_hash, status)
         select $1::uuid, m.page_id, 'https://scale.example' || x.path || '-' || m.g, sha256(convert_to('https://scale.example' || x.path || '-' || m.g, 'UTF8')),
                sha256(convert_to(x.path || '-' || m.g, 'UTF8')), p.title, left(p.content, 200), p.content_hash, 'INDEXED'
           from made m
           join pathmend.pages p on p.project_id = $2 and p.page_id = m.a
           join pathmend.indexed_pages x on x.project_id = $2 and x.page_id = m.a`,
        [to, from],
      );
      await client.query(
        `insert into pathmend.indexed_pages (project_id, page_id, content_version, path, path_words, slug_words, words, path_trigrams, slug_trigrams)
         select $1::uuid, m.page_id, 1, x.path || '-' || m.g, x.path_words, x.slug_words, '{}', x.path_trigrams | y.slug_trigrams, x.slug_trigrams
           from made m
           join pathmend.indexed_pages x on x.project_id = $2 and x.page_id = m.a
           join pathmend.indexed_pages y on y.project_id = $2 and y.page_id = m.b`,
        [to, from],
      );
      const { rows: made } = await client.query<{ page_id: string; a: string; b: string }>(
        'select page_id, a, b from made',
      );
      const mixed = made.map(({ a, b }) => mixTerms(terms.get(a) ?? [], terms.get(b) ?? [], next));
      for (let at = 0; at < made.length; at += 2_000) {
        await client.query(
          `insert into pathmend.page_terms (project_id, page_id, part, terms)
           select $1::uuid, i.page_id, 0, i.terms::sparsevec from unnest($2::text[], $3::text[]) as i (page_id, terms)`,
          [to, made.slice(at, at + 2_000).map(({ page_id }) => page_id), mixed.slice(at, at + 2_000)],
        );
      }
      await client.query(
        `insert into pathmend.chunks (project_id, model_id, page_id, ordinal, start_at, end_at, text_hash, embedding)
         select $1::uuid, v.model_id, m.page_id, v.ordinal, v.start_at, v.end_at, v.text_hash, ${MADE_EMBEDDING}
           from made m
           join pathmend.chunks v on v.project_id = $2 and v.page_id = m.a
           join pathmend.chunks w on w.project_id = $2 and w.page_id = m.b and w.ordinal = 0 and w.model_id = v.model_id`,
        [to, from],
      );
      await client.query('commit');
    }
    await client.query(
      `insert into pathmend.vocabulary (project_id, word, pages)
       select $1::uuid, word, ceil(pages * $3::float8)::int from pathmend.vocabulary where project_id = $2
       on conflict do nothing`,
      [to, from, pages / base.pages],
    );
    await client.query(
      'update pathmend.projects set model_id = (select model_id from pathmend.projects where project_id = $2) where project_id = $1',
      [to, from],
    );
    await client.query(
      `insert into pathmend.index_versions as v (project_id, version, pages) values ($1, 2, $2)
       on conflict (project_id) do update set version = v.version + 1, pages = v.pages + excluded.pages`,
      [to, pages],
    );
    await client.query('drop table base');
  } finally {
    client.release();
  }
}
