import type pg from 'pg';
import { connect } from '#src/platform/database/session/connect.js';
import { updateOwnIndexes } from '#src/pages/large-projects/build-segments-job.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { parseConfig } from '#src/platform/settings/config.js';
import { trigramSignature } from '#src/text/words/likeness.js';

const WORDS = 2_000;
const VECTORS = 2_000;

/** Of two to four syllables, all different. */
function makeWords(): string[] {
  const syllables = ['ba', 'con', 'der', 'fil', 'gra', 'hem', 'lor', 'mun', 'pel', 'rit', 'sol', 'tan', 'vor'];
  const word = (n: number): string =>
    n < syllables.length
      ? (syllables[n] ?? '')
      : word(Math.floor(n / syllables.length) - 1) + (syllables[n % syllables.length] ?? '');
  return Array.from({ length: WORDS }, (_, n) => word(n + syllables.length));
}

/**
 * Paths of a section and three of 2,000 words, one passage of each page between two of 2,000 vectors, and three terms:
 * what a dead path is compared with, though no two sites are alike so.
 */
export async function addSearchablePages(client: pg.Client, projectId: string, pages: number): Promise<void> {
  const words = makeWords();
  await client.query('create temp table words (n int primary key, word text, bits bit(512))');
  await client.query(
    'insert into words select n - 1, word, bits::bit(512) from unnest($1::text[], $2::text[]) with ordinality as w (word, bits, n)',
    [words, words.map(trigramSignature)],
  );
  await client.query(
    `create temp table vectors as
     select n, l2_normalize(array(select random() - 0.5 from generate_series(1, m.dimensions + n * 0))::vector)::halfvec as v
       from generate_series(0, ${VECTORS - 1}) as n, pathmend.models m where m.model_id = (select max(model_id) from pathmend.models)`,
  );
  await client.query('create index on vectors (n); analyze words; analyze vectors');
  await client.query(
    `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, title, content, content_hash, status)
     select $1, lpad(to_hex(i), 24, '0'), 'https://www.example.com' || path, sha256(path::bytea), sha256(path::bytea), 'Page ' || i,
            'Page ' || i, sha256(i::text::bytea), case when i % 1000 = 0 then 'ERROR' else 'INDEXED' end
       from (select i, '/new/' || a.word || '/' || b.word || '-' || c.word || '-page-' || i as path
               from generate_series(1, $2::int) as i
               join words a on a.n = i % 50 join words b on b.n = i::bigint * 7919 % ${WORDS} join words c on c.n = i / 7 % ${WORDS}) as p`,
    [projectId, pages],
  );
  await client.query(
    `insert into pathmend.indexed_pages (project_id, page_id, content_version, path, path_words, slug_words, path_trigrams,
                                         slug_trigrams, counted_words, words)
     select $1, lpad(to_hex(i), 24, '0'), 1, '/new/' || a.word || '/' || b.word || '-' || c.word || '-page-' || i,
            'new ' || a.word || ' ' || b.word || ' ' || c.word || ' page', b.word || ' ' || c.word || ' page',
            $3::bit(512) | a.bits | b.bits | c.bits, $4::bit(512) | b.bits | c.bits, array[b.word, c.word], '{}'
       from generate_series(1, $2::int) as i
       join words a on a.n = i % 50 join words b on b.n = i::bigint * 7919 % ${WORDS} join words c on c.n = i / 7 % ${WORDS}`,
    [projectId, pages, trigramSignature('new page'), trigramSignature('page')],
  );
  await client.query(
    `insert into pathmend.page_terms (project_id, page_id, part, terms)
     select $1, lpad(to_hex(i), 24, '0'), 0,
            ('{' || i % 50 + 1 || ':1,' || i::bigint * 7919 % ${WORDS} + 1001 || ':2,' || i / 7 % ${WORDS} + 10001 || ':2}/1000000000')::sparsevec
       from generate_series(1, $2::int) as i`,
    [projectId, pages],
  );
  // Last: a segment ends with the passage that arrived last.
  await client.query(
    `insert into pathmend.passages (project_id, model_id, page_id, ordinal, start_at, end_at, embedding)
     select $1, (select model_id from pathmend.projects where project_id = $1), lpad(to_hex(i), 24, '0'), 0, 0, 6, l2_normalize(a.v + b.v)
       from generate_series(1, $2::int) as i join vectors a on a.n = i % ${VECTORS} join vectors b on b.n = i / ${VECTORS} + i % 97`,
    [projectId, pages],
  );
  await client.query(
    `insert into pathmend.vocabulary (project_id, word, pages) select $1, word, $2::int / ${WORDS} + 1 from words`,
    [projectId, pages],
  );
  await client.query(
    `insert into pathmend.index_versions as v (project_id, version, words, pages) values ($1, 2, ${WORDS}, $2)
     on conflict (project_id) do update set version = v.version + 1, pages = excluded.pages`,
    [projectId, pages],
  );
}

/** As the service builds them for a project of this size: minutes for a million pages. */
export async function buildOwnIndexes(databaseUrl: string, projectId: string): Promise<void> {
  const { ownIndexPassages } = parseConfig(process.env);
  const connection = connect({ url: databaseUrl, max: 2, applicationName: 'bench', onIdleError: () => undefined });
  await updateOwnIndexes(
    {
      dbWithSession: connection.db,
      ownIndexPassages,
      logger: createLogger('error'),
      ownIndexes: { segments: () => undefined, refresh: () => Promise.resolve() },
    },
    projectId,
    { quietSeconds: 0 },
  );
  await connection.close();
}
