import type { SessionPool } from '#src/platform/database/session/pool.js';

/** A question in words of a page, and a dead path made of a live one. */
export interface ScaleCase {
  question: string;
  path: string;
}

/** The same cases on every run: three to eight words in a row of a page, a renamed section or a letter left out. */
export async function makeCases(pool: SessionPool, projectId: string, count: number): Promise<ScaleCase[]> {
  const { rows } = await pool.query<{ content: string; path: string }>(
    `select p.content, x.path from pathmend.pages p join pathmend.indexed_pages x using (project_id, page_id)
      where project_id = $1 order by md5(page_id) limit $2`,
    [projectId, count],
  );
  let state = 1;
  const below = (most: number): number => (state = (state * 16_807) % 2_147_483_647) % Math.max(1, most);
  return rows.map(({ content, path }, i) => {
    const words = content.split(/\s+/);
    const at = below(words.length - 8);
    const live = path.replace(/-\d+$/, '');
    const cut = 2 + below(live.length - 4);
    return {
      question: words.slice(at, at + 3 + below(5)).join(' '),
      path: i % 2 === 0 ? `/archive/${live.split('/').slice(2).join('/')}` : live.slice(0, cut) + live.slice(cut + 1),
    };
  });
}
