import { readFile } from 'node:fs/promises';

/** `where`: where the lines belong. */
export type ServerLines = Record<'server' | 'where' | 'lines', string>;

const FILE = new URL('../assets/server-lines.md', import.meta.url);
const SECTION = /^## (?<server>.+)\n\n(?<where>.+)\n\n```\w+\n(?<lines>[^]*?)\n```$/gm;

/**
 * What makes a site's server ask for its 404s, as docs/start/missing-pages.md and the clients' READMEs have it
 * (test/unit/console/connect/server-lines.test.ts holds them together).
 *
 * @param url where the server reaches the API
 */
export async function serverLines(url: string, key: string): Promise<ServerLines[]> {
  const text = await readFile(FILE, 'utf8');
  // By functions: a $ of the key would have a meaning in a replacement.
  const own = text.replaceAll('http://127.0.0.1:8080', () => url).replaceAll('pm_live_…', () => key);
  return [...own.matchAll(SECTION)].map(({ groups }) => ({ ...groups }) as ServerLines);
}
