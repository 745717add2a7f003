/** ISO 639-1 codes of languages that sites are commonly published in. */
const LANGUAGES = new Set(
  (
    'af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ' +
    'ka kk km kn ko ky lo lt lv mk ml mn mr ms mt my nb ne nl nn no pa pl ps pt ro ru si sk sl so sq sr sv sw ' +
    'ta te th tl tr uk ur uz vi zh zu'
  ).split(' '),
);

/** Codes that without a region are more likely a word or a department: `/hr/`, `/my/`, `/is/`. */
const AMBIGUOUS = new Set('am be hr id is lo ms my no pa so'.split(' '));

const SCRIPTS = new Set(['hans', 'hant', 'latn', 'cyrl', 'arab']);

/** ISO 3166-1 codes of countries, and the UN's number for Latin America. */
const REGIONS = new Set(
  (
    'ae af al am ar at au az ba bd be bg bh bo br by ca ch cl cn co cr cy cz de dk do dz ec ee eg es fi fr gb ' +
    'ge gr gt hk hn hr hu id ie il in iq ir is it jo jp ke kh kr kw kz la lb lk lt lu lv ly ma md me mk mm mt ' +
    'mx my ng ni nl no np nz om pa pe ph pk pl pr pt py qa ro rs ru sa se sg si sk sv sy th tn tr tw ua ug uk ' +
    'us uy uz ve vn ye za zw 419'
  ).split(' '),
);

/**
 * The language that one of a path's first two segments names, such as `pl` of `/pl-pl/docs`; '' if none does. The last
 * segment names a page, unless it is the only one: `/pl` is where the Polish pages begin.
 */
export function languageOf(segments: readonly string[]): string {
  const locale = segments
    .slice(0, 2)
    .find((segment, at) => (at < segments.length - 1 || segments.length === 1) && isLocale(segment));
  return locale?.slice(0, locale.search(/[-_]|$/)) ?? '';
}

/** Whether a segment is a locale: `en`, `en-us`, `de_DE`, `zh-hans`, `zh-Hant-TW`, `es-419`. */
export function isLocale(segment: string): boolean {
  const [language = '', ...tags] = segment.toLowerCase().split(/[-_]/);
  if (!LANGUAGES.has(language) || tags.length > 2) return false;
  if (tags.length === 0) return !AMBIGUOUS.has(language);
  const region = SCRIPTS.has(tags[0] ?? '') ? tags.slice(1) : tags;
  return region.length === 0 || (region.length === 1 && REGIONS.has(region[0] ?? ''));
}
