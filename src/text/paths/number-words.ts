/** A word or number of a path, with the place of its segment. */
export interface DateToken {
  text: string;
  segment: number;
  /** The token is the whole segment. */
  isWhole: boolean;
}

/** Numbered words: `part`, `chapter`. An ordinal beside one is a number, as is a Roman numeral or letter behind one. */
export const LABELS: ReadonlySet<string> = new Set(
  (
    'part pt chapter section volume vol book episode ep season series issue number no nr lesson day week step unit ' +
    'phase level stage module session class grade act appendix annex schedule version v ver edition ed release round ' +
    'article figure table q quarter teil kapitel band folge ausgabe partie chapitre tome numero parte capitulo ' +
    'tomo episodio deel hoofdstuk aflevering del kapittel avsnitt'
  ).split(' '),
);

const CARDINALS = [
  '- one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  '- eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf',
  '- un deux trois quatre cinq six sept huit neuf dix onze douze',
  '- uno dos tres cuatro cinco seis siete ocho nueve diez',
  '- uno due tre quattro cinque sei sette otto nove dieci',
  '- um dois tres quatro cinco seis sete oito nove dez',
  '- een twee drie vier vijf zes zeven acht negen tien',
];
/** The stems of the ordinals, and the endings that a language gives them; `-` is no ending. */
const ORDINALS: readonly (readonly [stems: string, endings: string])[] = [
  ['- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth', '-'],
  ['- erst zweit dritt viert funft sechst siebt acht neunt zehnt', 'e er es en em'],
  ['- premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme', '-'],
  ['- premier second', 'e'],
  ['- primer segund tercer cuart quint sext septim octav noven decim', '- o a'],
  ['- prim second terz quart quint sest settim ottav non decim', 'o a'],
  ['- primeir segund terceir quart quint sext setim oitav non decim', 'o a'],
  ['- eerste tweede derde vierde vijfde zesde zevende achtste negende tiende', '-'],
];

/** Returns the place of each word in its list. In all lists, words with one meaning have one place. */
function placesOf(lists: readonly string[]): ReadonlyMap<string, number> {
  return new Map(lists.flatMap((list) => list.split(' ').map((word, at) => [word, at] as const)));
}

const CARDINAL = placesOf(CARDINALS);
/** The numbers of ordinals: `second` and `zweiter` are 2. */
const ORDINAL_OF = placesOf(
  ORDINALS.flatMap(([stems, endings]) =>
    endings.split(' ').map((ending) => stems.replace(/(?<=\p{L})(?= |$)/gu, ending.replace('-', ''))),
  ),
);
const ROMAN = /^(?=[ivx])(x{0,3})(ix|iv|v?i{0,3})$/;
const ONES = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'];

/**
 * The number that a word is: `two` and `ii` in `part-two` and `world-war-ii`, `second` in `second-edition`. An ordinal
 * counts only next to one of the {@link LABELS}, a Roman numeral behind a label or at the end of a segment. A letter
 * behind a label (`appendix-b`) is its own number.
 */
export function numberOfWord(tokens: readonly DateToken[], at: number): string | undefined {
  const { text, segment, isWhole } = tokens[at] as DateToken;
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  const isLabelled = before !== undefined && LABELS.has(before.text);
  const isEnd = after?.segment !== segment;
  const ordinal = ORDINAL_OF.get(text);
  if (ordinal !== undefined) return isLabelled || LABELS.has(after?.text ?? '') ? String(ordinal) : undefined;
  const cardinal = CARDINAL.get(text);
  if (cardinal !== undefined) return String(cardinal);
  const roman = ROMAN.exec(text);
  if (roman && (isLabelled || (isEnd && (isWhole ? text.length > 1 : before?.segment === segment))))
    return String(10 * (roman[1] ?? '').length + ONES.indexOf(roman[2] ?? ''));
  return isLabelled && isEnd && /^[a-z]$/.test(text) ? text : undefined;
}

/** The names of months, short and long, without accents, in the languages whose slugs mostly have Latin letters. */
const MONTHS = placesOf([
  '- jan feb mar apr may jun jul aug sep oct nov dec',
  '- january february march april may june july august september october november december',
  '- januar februar maerz april mai juni juli august september oktober november dezember',
  '- januar februar marz april maj juni juli august september oktober november desember',
  '- janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre',
  '- enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  '- gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  '- janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro',
  '- januari februari maart april mei juni juli augustus september oktober november december',
]);

/** The month that a word names, 1 to 12. */
export function monthOf(word: string): number | undefined {
  return MONTHS.get(word);
}

const WEEKDAYS = placesOf([
  'monday tuesday wednesday thursday friday saturday sunday',
  'montag dienstag mittwoch donnerstag freitag samstag sonntag',
  'lundi mardi mercredi jeudi vendredi samedi dimanche',
  'lunes martes miercoles jueves viernes sabado domingo',
  'lunedi martedi mercoledi giovedi venerdi sabato domenica',
  'maandag dinsdag woensdag donderdag vrijdag zaterdag zondag',
]);

const SEASONS = placesOf([
  'spring summer autumn winter',
  '- - fall -',
  'fruhling sommer herbst winter',
  'fruhjahr - - -',
  'printemps ete automne hiver',
  'primavera verano otono invierno',
  '- estate autunno inverno',
  '- sommersemester - wintersemester',
]);

/** Ordinals (`first`), months, weekdays, seasons: each function returns the number of the member that a word is. */
const SERIES: readonly ((word: string) => number | undefined)[] = [
  (word) => ORDINAL_OF.get(word),
  monthOf,
  (word) => WEEKDAYS.get(word),
  (word) => SEASONS.get(word),
];

/** The members of each series that a path's words name: in `minutes-monday-6-may`, weekday 0 and month 5. */
export type SeriesMembers = readonly ReadonlySet<number>[];

export function seriesOf(words: readonly string[]): SeriesMembers {
  return SERIES.map((memberOf) => new Set(words.map(memberOf).filter((member) => member !== undefined)));
}

/** Whether each of two paths names a member of a series that the other lacks: `first-steps`, `second-steps`. */
export function otherMember(dead: SeriesMembers, live: SeriesMembers): boolean {
  return dead.some((members, at) => {
    const liveMembers = live[at];
    if (members.size === 0 || liveMembers === undefined || liveMembers.size === 0) return false;
    const lacks = (all: ReadonlySet<number>, from: ReadonlySet<number>): boolean =>
      [...all].some((member) => !from.has(member));
    return lacks(members, liveMembers) && lacks(liveMembers, members);
  });
}
