import { sql, type Sql } from '../../platform/database/sql.js';

/**
 * The text of a page `p` of a project `j` that is indexed: its content, with the title as first heading where the
 * project wants titles searched. A title that the content begins with is not repeated.
 */
export const indexedText: Sql<string> = sql`
  case when j.title_evidence and p.title <> '' and not starts_with(ltrim(p.content, E' \\n\\t\\r#'), p.title)
       then p.title || E'\\n\\n' || p.content else p.content end`;
