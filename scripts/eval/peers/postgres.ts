import type { Pool } from 'pg';
import { plainPath, plainWords } from '../path-words.js';
import type { SitePage } from '../site-data.js';
import { searchText, TOP, type Peer } from './peer.js';

/** A tsvector is 1 MB at most; this much text stays below it. */
const CONTENT_CHARACTERS = 400_000;
const ROWS_AT_ONCE = 100;

/**
 * PostgreSQL alone: full text (title weighs more than content, any word may match) plus pg_trgm's similarity of the
 * paths, in a table of its own. The text rank is divided by the case's greatest, so that both lie between 0 and 1.
 * The weights are the best of those tried on the sites. ts_rank with its length normalization, not ts_rank_cd: cover
 * density rewards words that stand close together, which words joined by OR need not, and found 0.42 where this finds
 * 0.62 of the questions first.
 */
export async function postgres(pages: readonly SitePage[], pool: Pool): Promise<Peer> {
  await pool.query(`
    create extension if not exists pg_trgm;
    create schema if not exists eval_peers;
    drop table if exists eval_peers.pages;
    create table eval_peers.pages (
      id integer primary key,
      path_words text not null,
      title text not null,
      content text not null,
      document tsvector not null generated always as
        (setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', content), 'B')) stored
    );
    create index on eval_peers.pages using gin (document);
    create index on eval_peers.pages using gin (path_words gin_trgm_ops);`);
  for (let from = 0; from < pages.length; from += ROWS_AT_ONCE) {
    const rows = pages.slice(from, from + ROWS_AT_ONCE).map(({ path, title, content }, i) => ({
      id: from + i,
      path_words: plainWords(plainPath(path)).join(' '),
      title,
      content: content.slice(0, CONTENT_CHARACTERS),
    }));
    await pool.query(
      `insert into eval_peers.pages (id, path_words, title, content)
       select * from jsonb_to_recordset($1::jsonb) as row (id integer, path_words text, title text, content text)`,
      [JSON.stringify(rows)],
    );
  }
  await pool.query('analyze eval_peers.pages');
  return {
    name: 'pg_trgm_full_text',
    takesQuestions: true,
    rank: async (input) => {
      const text = searchText(input);
      const { rows } = await pool.query<{ id: number }>(
        `with asked as materialized (
           -- Words joined by OR: with AND a path of six words finds nothing.
           select replace(plainto_tsquery('english', $1)::text, ' & ', ' | ')::tsquery as query
         ),
         compared as materialized (
           select p.id, similarity(p.path_words, $1) as path,
                  case when p.document @@ a.query then ts_rank('{0.1, 0.2, 0.2, 1}', p.document, a.query, 1) else 0 end as text
             from eval_peers.pages p cross join asked a
         )
         select id from compared
          where path > 0 or text > 0
          order by 2 * path + coalesce(text / nullif(max(text) over (), 0), 0) desc, id
          limit $2`,
        [text, TOP],
      );
      return rows.map(({ id }) => pages[id]?.path ?? '');
    },
  };
}
