import fc from 'fast-check';

/** Pieces of old paths that have a meaning in redirect files, shells or servers. */
const HOSTILE = [
  ...' ¦"¦\'¦`¦$¦$1¦${x}¦{¦}¦%¦%%¦%41¦%2f¦%0a¦%E9¦\\¦\\x¦\\n¦;¦#¦*¦:splat¦:id¦(.*)¦[a]¦^¦|¦+¦.¦..¦<¦>¦&¦\n'.split('¦'),
  ...'\r¦\t¦ü¦中¦😀¦é¦\u2028¦return 301 /x;¦} location / {¦%{ENV:PATH}¦{$HOME}¦{R:1}¦<!--¦&amp;¦http://¦//'.split('¦'),
];
export const hostileSegment = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.stringMatching(/^[a-z0-9-]{1,6}$/) }, fc.constantFrom(...HOSTILE)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''));
/** Paths that begin with a slash. */
export const hostileAddress = fc
  .array(hostileSegment, { minLength: 1, maxLength: 4 })
  .map((segments) => `/${segments.join('/')}`);
