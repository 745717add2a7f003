import { sql, type Sql } from '../../platform/database/sql.js';

/** What is erased: what one address or network sent, or what was sent about one path, in every notation of it. */
export type Erasure = { ip: string } | { path: string };

/** Whether a row is meant. Columns or expressions: the address as inet, the path or url. */
export function isMeant(erasure: Erasure, ip: Sql, path: Sql): Sql {
  // An address is kept as EVENT_IP_MODE leaves it: it is erased with the network that stands for it.
  return 'ip' in erasure ? sql`${ip} && ${erasure.ip}::inet` : isPath(erasure.path, path);
}

/** Whether a path or url has this path: without site, query string, fragment; in any case, percent-encoded or not. */
export function isPath(path: string, column: Sql): Sql {
  const bare = (text: Sql): Sql =>
    sql`rtrim(lower(regexp_replace(split_part(split_part(${text}, '?', 1), '#', 1), '^[A-Za-z][A-Za-z0-9+.-]*://[^/]*', '')), '/')`;
  return sql`${bare(column)} = any (array(select ${bare(sql`spelling`)} from unnest(${spellings(path)}::text[]) as spelling))`;
}

function spellings(path: string): string[] {
  try {
    const plain = decodeURI(path);
    return [...new Set([path, plain, encodeURI(plain)])].filter((text) => text.isWellFormed() && !text.includes('\0'));
  } catch {
    return [path];
  }
}
