import type pg from 'pg';
import { OperatorError } from '../../../base/errors.js';
import { compareSchema, isRepeatable, type Differences } from './catalogue.js';
import { runRepeatables } from './repeatables.js';

/**
 * For a role that may not change the schema.
 * @throws OperatorError that names the missing objects; the owner can create them.
 */
export async function requireComplete(client: pg.ClientBase, folder: string): Promise<void> {
  const { missing } = await compareSchema(client, folder);
  if (missing.length > 0)
    throw new OperatorError(
      `The schema is not whole. Run \`migrate\` as the role that owns it. Missing: ${formatList(missing)}.`,
    );
}

/** Runs repeatables that changed or whose objects differ. `differing`: what still differs then. */
export async function repairSchema(
  client: pg.ClientBase,
  folder: string,
): Promise<{ repeated: string[]; differing: string[] }> {
  const before = await compareSchema(client, folder);
  const lost = before.missing.filter((object) => !isRepeatable(object));
  if (lost.length > 0) {
    throw new OperatorError(
      `The schema is not whole, and what is missing cannot be made anew: ${formatList(lost)}. Nothing was changed. ` +
        'Restore the backup once more, into an empty database (docs/operations.md, Restore).',
    );
  }
  const differs = ({ missing, altered, surplus }: Differences): boolean =>
    [...missing, ...altered.filter(isRepeatable), ...surplus].length > 0;
  const repeated = await runRepeatables(client, folder, differs(before));
  const after = repeated.length > 0 ? await compareSchema(client, folder) : before;
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

function formatList(objects: readonly string[]): string {
  const more = objects.length - MAX_LISTED;
  return objects.slice(0, MAX_LISTED).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
