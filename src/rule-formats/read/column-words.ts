/** The words of cells, as other programs write them. */
export const WORDS = {
  yes: words('1 true yes y on x enabled active'),
  no: words('0 false no n off null none disabled inactive'),
  redirects: words(
    'redirect redirection url plain exact permanent permanently temporary temp movedpermanently found seeother perm active enabled live published on true yes 1',
  ),
  switchedOff: words(
    'disabled inactive off no false 0 draft trash trashed deleted expired unpublished pending suspended paused archived',
  ),
  exact: words('exact exactmatch plain literal url fullurl pathonly simple equals equal is none 0 false wildcard glob'),
  expression: words('regex regexp regexmatch regularexpression expression 1 true'),
  beginning: words('start starts startswith startwith begin begins beginswith prefix'),
  otherMatches: words('contains contain end ends endswith'),
  everybody: words('all any und none default everyone'),
  queryHandling: words('ignore exact exactorder drop'),
  passed: words('pass preserve keep'),
  anyHost: words(' all any default'),
};
const { yes, no, switchedOff, exact, expression, beginning, otherMatches } = WORDS;
/** All words that name a state, or the way in which addresses are compared. */
export const TERM_WORDS: ReadonlySet<string> = new Set(
  [yes, no, switchedOff, exact, expression, beginning, otherMatches].flatMap((known) => [...known]),
);

/** This matches a cell without a value, and a field of JSON without one. */
export const EMPTY = /^(?:|null|\[\]|\{\})$/i;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
