import { NOT_ON_CITUS, SESSION_FACTS, type SessionFacts } from '../citus.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { OperatorError } from '../../../base/errors.js';
import { runRepeatables } from './repeatables.js';
import { setSearchPath } from './preconditions.js';
import type { View } from './views.js';

/** The objects of a schema, such as `function pathmend.reach(uuid, …)`, each with its properties. */
export type Catalogue = Map<string, string>;

/** The differences of a database from the schema of this release. */
export interface Differences {
  missing: string[];
  altered: string[];
  /** Rights that roles of pathmend have and should not have. */
  surplus: string[];
}

/** @param folder the `db` folder of the package. */
export async function readCatalogue(client: pg.ClientBase, folder: string): Promise<Catalogue> {
  const text = await readFile(join(folder, 'read_catalogue.sql'), 'utf8');
  const { rows } = await client.query<{ object: string; detail: string }>(text);
  return new Map(rows.map(({ object, detail }) => [object, detail]));
}

/** The text of `db/catalogue.txt`, which `npm run db:dump` writes. */
export function printCatalogue(catalogue: Catalogue): string {
  const lines = Array.from(catalogue, ([object, detail]) => `${object}: ${detail}\n`);
  return lines.sort().join('');
}

export async function expectedCatalogue(folder: string): Promise<Catalogue> {
  const lines = (await readFile(join(folder, 'catalogue.txt'), 'utf8')).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
}

/**
 * Compares a database with the schema of this release. Additional objects are ignored, except rights of our roles. The
 * server prints names by the search path, and a login may have its own (`"$user"`). So `migrate`'s is set.
 */
export async function compareSchema(client: pg.ClientBase, folder: string): Promise<Differences> {
  await client.query('begin');
  try {
    await setSearchPath(client);
    return await compareInside(client, folder);
  } finally {
    await client.query('rollback');
  }
}

async function compareInside(client: pg.ClientBase, folder: string): Promise<Differences> {
  const expected = await expectedCatalogue(folder);
  const actual = await readCatalogue(client, folder);
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest(array['pathmend_tenant', 'pathmend_service', 'pathmend_analyst', 'pathmend_project_analyst']) as name where to_regrole(name) is null`,
  );
  const { rows: facts } = await client.query<SessionFacts>(SESSION_FACTS);
  const distributed = facts[0]?.citus ?? false;
  // An administrator makes the roles. Without them pathmend works, with a warning.
  const concerned = ([object, detail]: [string, string]): boolean =>
    !(distributed && NOT_ON_CITUS.has(object)) && !rows.some(({ name }) => `${object} ${detail}`.includes(name));
  const wanted = [...expected].filter(concerned);
  return {
    missing: wanted.filter(([object]) => !actual.has(object)).map(([object]) => object),
    altered: wanted
      .filter(([object, detail]) => actual.has(object) && actual.get(object) !== detail)
      .map(([object]) => object),
    surplus: [...actual.keys()].filter((object) => {
      // Objects that others created in `analytics` belong to them, with all rights on them.
      const [, view] = /^grant .* on (analytics\.[^.]+?)(?:\..*)? to \S+$/.exec(object) ?? [];
      const isTheirs = view !== undefined && !expected.has(`view ${view}`);
      return object.startsWith('grant ') && !expected.has(object) && !isTheirs;
    }),
  };
}

/** Functions, views, policies and grants can be made again from their files. Nothing else can. */
export function isRepeatable(object: string): boolean {
  return /^(?:function|view|policy|grant) |^column analytics\./.test(object);
}

/** Checks the schema for a role that may not change it. @throws OperatorError that names the missing objects */
export async function requireComplete(client: pg.ClientBase, folder: string): Promise<void> {
  const { missing } = await compareSchema(client, folder);
  if (missing.length > 0)
    throw new OperatorError(
      `The schema is not whole. Run \`migrate\` as the role that owns it. Missing: ${formatList(missing)}.`,
    );
}

/** Runs the repeatable files that changed, or whose objects differ. `differing` lists the differences that remain. */
export async function repairSchema(client: pg.ClientBase, folder: string, views: readonly View[]) {
  const before = await compareInside(client, folder);
  const lost = before.missing.filter((object) => !isRepeatable(object));
  if (lost.length > 0)
    throw new OperatorError(
      `The schema is not whole, and what is missing cannot be made anew: ${formatList(lost)}. Nothing was changed. ` +
        'Restore the backup once more, into an empty database (docs/operate/backup.md, Restore).',
    );
  const differs = ({ missing, altered, surplus }: Differences): boolean =>
    [...missing, ...altered.filter(isRepeatable), ...surplus].length > 0;
  const repeated = await runRepeatables(client, folder, differs(before), views);
  const after = repeated.length > 0 ? await compareInside(client, folder) : before;
  if (after.missing.length > 0)
    throw new OperatorError(`The schema is not whole. Missing: ${formatList(after.missing)}.`);
  return {
    repeated,
    differing: [
      ...after.altered.map((object) => `The schema is not as this release makes it: ${object}.`),
      ...after.surplus.map((grant) => `A role of pathmend has a right that it does not need: ${grant}.`),
    ],
  };
}

const MAX_LISTED = 20;

export function formatList(objects: readonly string[]): string {
  const more = objects.length - MAX_LISTED;
  return objects.slice(0, MAX_LISTED).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
