import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TINY_PAGES = [
  {
    url: 'https://bikes.example/repair/flat-tyre/',
    title: 'Mend a flat tyre',
    content:
      'Take the wheel out, lever the tyre off and find the hole in the inner tube with a bowl of water. Patch it.',
  },
  {
    url: 'https://bikes.example/repair/squeaking-brakes/',
    title: 'Quiet brakes',
    content:
      'Brakes squeak when the pads are glazed. Sand them lightly and toe them in so that the front edge touches first.',
  },
  {
    url: 'https://bikes.example/shop/opening-hours/',
    title: 'When we are open',
    content: 'The workshop is open from Tuesday to Saturday, nine to six. On public holidays the doors stay shut.',
  },
  {
    url: 'https://bikes.example/shop/rent-a-bike/',
    title: 'Rent a bike',
    content: 'City bikes, cargo bikes and tandems can be hired by the day. Bring an identity card and leave a deposit.',
  },
  {
    url: 'https://bikes.example/tours/lake-loop/',
    title: 'Around the lake',
    content:
      'Forty kilometres of quiet lanes along the shore, with two climbs and a ferry for those who have had enough.',
  },
  {
    url: 'https://bikes.example/about/',
    title: 'About us',
    content: 'Three friends began to mend bicycles in a garage in 2009. Today the cooperative has eleven members.',
  },
];

export interface TinySite {
  folder: string;
  file(name: string): string;
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** A folder with the pages of a bicycle workshop, for a test's own files. */
export async function makeTinySite(): Promise<TinySite> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-eval-test-'));
  const file = (name: string): string => join(folder, name);
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(file(name), text);
    return file(name);
  };
  await write('pages.jsonl', TINY_PAGES.map((page) => `${JSON.stringify(page)}\n`).join(''));
  return { folder, file, write, remove: () => rm(folder, { recursive: true, force: true }) };
}

export function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
