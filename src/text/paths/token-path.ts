/** A word or number of a path. */
export interface PathToken {
  /** Numbers are without leading zeros; a month beside a number is a number. */
  text: string;
  isNumber: boolean;
  /** The place of its segment. */
  segment: number;
}

/** A path as words and numbers, for comparison without separators. */
export interface TokenPath {
  tokens: readonly PathToken[];
  /** The texts of all tokens. */
  texts: readonly string[];
  /** All texts joined. Paths that differ only in separators, zeros and names of months have one key. */
  key: string;
}

/** Short and long, in the languages whose slugs are written in Latin letters most, without accents. */
const MONTHS = new Map(
  [
    'jan feb mar apr may jun jul aug sep oct nov dec',
    'january february march april may june july august september october november december',
    'januar februar maerz april mai juni juli august september oktober november dezember',
    'januar februar marz april maj juni juli august september oktober november desember',
    'janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre',
    'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
    'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
    'janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro',
    'januari februari maart april mei juni juli augustus september oktober november december',
  ].flatMap((names) => names.split(' ').map((name, at) => [name, at + 1] as const)),
);

/** The month that a word names, 1 to 12. */
export function monthOf(word: string): number | undefined {
  return MONTHS.get(word);
}

const COMPACT_DATE = /^((?:19|20)\d\d)(0\d|1[0-2])([0-2]\d|3[01])$/;

/** Takes a path's plain segments apart; `20161214` is read as three numbers. */
export function readTokenPath(segments: readonly string[]): TokenPath {
  const tokens: PathToken[] = [];
  for (const [segment, text] of segments.entries())
    for (const word of text.match(/\d+|[^\d-]+/g) ?? [])
      for (const part of COMPACT_DATE.exec(word)?.slice(1) ?? [word])
        tokens.push({ text: part.replace(/^0+(?=\d)/, ''), isNumber: /^\d/.test(part), segment });
  for (const [at, token] of tokens.entries()) {
    const month = monthOf(token.text);
    if (month !== undefined && [tokens[at - 1], tokens[at + 1]].some((beside) => beside?.isNumber === true))
      tokens[at] = { ...token, text: String(month), isNumber: true };
  }
  const texts = tokens.map(({ text }) => text);
  return { tokens, texts, key: texts.join('') };
}

/** The key of {@link readTokenPath}. */
export function tokenKey(segments: readonly string[]): string {
  const joined = segments.join('-');
  return /\d/.test(joined) ? readTokenPath(segments).key : joined.replaceAll('-', '');
}
