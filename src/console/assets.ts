import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Express } from 'express';

/** The files that each asset is made of, in this order: later rules of a style sheet win over earlier ones. */
const ASSETS: Readonly<Record<string, readonly string[]>> = {
  'console.css': ['base.css', 'frame.css', 'forms.css', 'components.css', 'pages.css', 'inbox.css', 'charts.css'],
  'console.js': ['console.js'],
  'inbox.js': ['inbox.js', 'sheet.js'],
  'icon.svg': ['icon.svg'],
};
const HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' };

/** Style sheet, script and icon, read once. Their paths change with their contents, so that browsers may keep them. */
export interface Assets {
  /** Returns the path of an asset below CONSOLE_URL. */
  path(name: string): string;
  mount(app: Express, base: string): void;
}

export async function readAssets(): Promise<Assets> {
  const read = (part: string): Promise<Buffer> => readFile(new URL(`assets/${part}`, import.meta.url));
  const files = await Promise.all(
    Object.entries(ASSETS).map(async ([name, parts]) => {
      const content = Buffer.concat(await Promise.all(parts.map(read)));
      return { name, content, version: createHash('sha256').update(content).digest('hex').slice(0, 12) };
    }),
  );
  const pathOf = ({ name, version }: (typeof files)[number]): string => `/assets/${version}/${name}`;
  const paths = new Map(files.map((file) => [file.name, pathOf(file)]));
  return {
    path: (name) => paths.get(name) ?? '/',
    mount: (app, base) => {
      for (const file of files)
        app.get(base + pathOf(file), (_request, response) => {
          response.type(file.name).set(HEADERS).end(file.content);
        });
    },
  };
}
