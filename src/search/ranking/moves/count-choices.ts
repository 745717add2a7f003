import type { KnownMove } from '../../../rules/learned/known-move.js';
import { NUMBER } from '../../../rule-formats/read/read-rule.js';
import type { MoveKeys } from '../../../text/paths/move-keys.js';
import type { Choices } from '../scores/explanation.js';

/** How many clicks each page has of the path, with its query string or else without; or whose visitors chose so. */
export function countChoices(moves: readonly KnownMove[], { keys }: MoveKeys): (pageId: string) => Choices | undefined {
  const own = keys.map((key) => moves.filter((one) => one.kind === 'click' && one.key === key.toString('hex')));
  const clicks = own.find(({ length }) => length > 0) ?? [];
  const of = clicks.reduce((sum, one) => sum + one.clicks, 0);
  const sections = moves.flatMap(({ page_id, section }): [string, Choices][] =>
    section?.byClicks === true ? [[page_id, { below: `${section.oldPrefix.replaceAll('#', NUMBER)}/` }]] : [],
  );
  const byPage = new Map<string, Choices>([
    ...sections,
    ...clicks.map((one): [string, Choices] => [one.page_id, { clicks: one.clicks, of }]),
  ]);
  return (pageId) => byPage.get(pageId);
}
