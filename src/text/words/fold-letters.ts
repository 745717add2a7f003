const ASCII = /^[\x00-\x7F]*$/;
const ACCENTED = /(\p{Script=Latin})\p{M}+/gu;
/** Letters that Unicode does not take apart, as slugs write them. */
const SPELT: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};
const UNCOMPOSED = /[ßæœøđðþłı]/g;

/** Drops the accents of Latin letters: visitors type `cafe` for `café`. */
export function dropAccents(text: string): string {
  return ASCII.test(text) ? text : text.normalize('NFD').replace(ACCENTED, '$1').normalize('NFC');
}

/** A lower-case text in the letters that slugs are written in: `größe` gives `grosse`, `løsning` gives `losning`. */
export function foldLetters(text: string): string {
  return ASCII.test(text) ? text : dropAccents(text).replace(UNCOMPOSED, (letter) => SPELT[letter] ?? letter);
}
