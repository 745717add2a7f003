/**
 * Reduces the name of a column, or of a field in JSON, to what is compared: `HTTP Status` and `http_status` are the
 * same.
 */
export function columnName(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * These are names of columns of old addresses, and of new addresses. If a table has several, the first of each counts.
 */
const OLD_COLUMN =
  /^(?:path|from|old|oldpath|oldurl|oldaddress|source|sourceurl|sourcepath|redirectfrom|redirectsource|redirectsrcurl|redirectsourcepath|request|requesturl|requestpath|requestedurl|origin|originalurl|legacyurl|legacyurlpattern|legacypath|fromurl|frompath|urlfrom|routeprefix)$/;
const NEW_COLUMN =
  /^(?:expected|to|new|newpath|newurl|newaddress|target|targeturl|targetpath|destination|destinationurl|destinationpath|redirectto|redirecttopage|redirecttarget|redirecturl|redirectdesturl|redirectredirecturi|tourl|topath|urlto)$/;

/** Finds the columns of the addresses, those with pathmend's own names first; -1 if there is none. */
export function findAddresses(names: readonly string[]): { from: number; to: number } {
  const find = (...wanted: readonly RegExp[]): number =>
    wanted.map((pattern) => names.findIndex((name) => pattern.test(name))).find((at) => at >= 0) ?? -1;
  return { from: find(/^path$/, OLD_COLUMN, /^url$/), to: find(/^(?:expected|target)$/, NEW_COLUMN) };
}

/** Columns of these names are read. Others are harmless, or reported as not read (file-columns.ts). */
const KINDS = {
  action:
    'action actioncode actiontype status statuscode httpstatus httpcode httpstatuscode httpresponsecode code header headercode type redirecttype redirectcode redirectstatus redirectstatuscode redirecthttpcode redirectstyle targetstatuscode responsestatus responsecode state urlredirecttype',
  enabled:
    'enabled isenabled redirectenabled ruleenabled active isactive published ispublished publishstatus visible isvisible online isonline live islive',
  disabled:
    'disabled isdisabled disabledat inactive isinactive deleted isdeleted deletedat trashed istrashed trashedat removed isremoved hidden ishidden archived isarchived archivedat draft isdraft offline isoffline suspended paused expired isexpired',
  regex: 'regex isregex regexp isregexp regularexpression isregularexpression',
  match: 'match matching matchtype matchmode redirectmatchtype redirectsrcmatch format comparison patterntype',
  wildcard: 'wildcard iswildcard',
  below: 'subpathmatching matchsubpaths includesubpaths includesubdomains ispattern',
  permanent: 'permanent ispermanent',
  host: 'host hosts hostname domain domains sourcehost sourcedomain',
  from: 'start starts startdate startsat starttime validfrom activefrom effectivefrom fromdate publishup publishon publishedat publishdate postdate',
  until:
    'end ends enddate endsat endtime until validuntil validto validtill activeuntil activeto todate untildate expires expiresat expiresdate expiry expirydate expirytime expiration expirationdate expirationtime publishdown unpublishon unpublishat unpublishdate',
  passes:
    'passquery passquerystring preservequery preservequerystring keepquery keepquerystring keepqueryparameters appendquery appendquerystring forwardquerystring',
  condition:
    'condition conditions requirements customrules country countries language languages langcode locale culture destinationculture useragent device role roles referrer referer cookie cookies headers ip ipaddress login loginstatus has missing',
  query:
    'query querystring sourcequery queryparam queryparameters redirectsourcequery respectqueryparameters ignorequeryparameters ismatchquerystring',
} as const;
export type Kind = keyof typeof KINDS;
/** The kind of a column, by its name. */
export const KIND_OF = new Map<string, Kind>(
  Object.entries(KINDS).flatMap(([kind, names]) =>
    names.split(' ').map((name): [string, Kind] => [name, kind as Kind]),
  ),
);

/** Tells whether a column of this name is read. */
export function isKnownColumn(name: string): boolean {
  return KIND_OF.has(name) || findAddresses([name]).from + findAddresses([name]).to > -2;
}

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
