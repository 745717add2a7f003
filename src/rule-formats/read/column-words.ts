/** The words of cells, as other programs write them. */
export const YES = words('1 true yes y on x enabled active');
export const NO = words('0 false no n off null none disabled inactive');
export const REDIRECTS = words(
  'redirect redirection url plain exact permanent permanently temporary temp movedpermanently found seeother perm active enabled live published on true yes 1',
);
export const SWITCHED_OFF = words(
  'disabled inactive off no false 0 draft trash trashed deleted expired unpublished pending suspended paused archived',
);
export const EXACT = words(
  'exact exactmatch plain literal url fullurl pathonly simple equals equal is none 0 false wildcard glob',
);
export const EXPRESSION = words('regex regexp regexmatch regularexpression expression 1 true');
export const BEGINNING = words('start starts startswith startwith begin begins beginswith prefix');
export const OTHER_MATCHES = words('contains contain end ends endswith');
/** All words that name a state, or the way in which addresses are compared. */
export const TERM_WORDS: ReadonlySet<string> = new Set(
  [YES, NO, SWITCHED_OFF, EXACT, EXPRESSION, BEGINNING, OTHER_MATCHES].flatMap((known) => [...known]),
);
export const EVERYBODY = words('all any und none default everyone');
export const QUERY_HANDLING = words('ignore exact exactorder drop');
export const PASSED = words('pass preserve keep');
export const ANY_HOST = words(' all any default');

/** This matches a cell without a value, and a field of JSON without one. */
export const EMPTY = /^(?:|null|\[\]|\{\})$/i;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
