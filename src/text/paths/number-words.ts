import type { DateToken } from './dates.js';

/** Words that count what follows: a numeral beside them is a number. */
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
/** Their stems, and the endings that a language gives them. */
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

function toMap(lists: readonly string[]): ReadonlyMap<string, string> {
  return new Map(lists.flatMap((list) => list.split(' ').map((word, at) => [word, String(at)] as const)));
}

const CARDINAL = toMap(CARDINALS);
/** `second` and `zweiter` are 2. */
export const ORDINAL_OF = toMap(
  ORDINALS.flatMap(([stems, endings]) =>
    endings.split(' ').map((ending) => stems.replace(/(?<=\p{L})(?= |$)/gu, ending.replace('-', ''))),
  ),
);
const ROMAN = /^(?=[ivx])(x{0,3})(ix|iv|v?i{0,3})$/;
const ONES = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'];

/**
 * The number that a word is: `two` and `ii` in `part-two` and `world-war-ii`, `second` in `second-edition`. An ordinal
 * only beside a word that counts, a Roman numeral beside one or at the end. A letter that counts (`appendix-b`) is its
 * own number.
 */
export function numberOfWord(tokens: readonly DateToken[], at: number): string | undefined {
  const { text, segment, isWhole } = tokens[at] as DateToken;
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  const isLabelled = before !== undefined && LABELS.has(before.text);
  const isEnd = after?.segment !== segment;
  const ordinal = ORDINAL_OF.get(text);
  if (ordinal !== undefined) return isLabelled || LABELS.has(after?.text ?? '') ? ordinal : undefined;
  const cardinal = CARDINAL.get(text);
  if (cardinal !== undefined) return cardinal;
  const roman = ROMAN.exec(text);
  if (roman && (isLabelled || (isEnd && (isWhole ? text.length > 1 : before?.segment === segment))))
    return String(10 * (roman[1] ?? '').length + ONES.indexOf(roman[2] ?? ''));
  return isLabelled && isEnd && /^[a-z]$/.test(text) ? text : undefined;
}
