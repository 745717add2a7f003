/** Ids of made-up searches and events begin alike, as their origin is GENERATED_ORIGIN. */
const KINDS = { search: '1', notFound: '2', click: '3' } as const;
/** The letters "gene" and "ra". */
const BEGINNING = '67656e65-7261-8';

/** The same id for the same visit, so that nothing is stored twice. RFC 9562, version 8. */
export function generatedId(kind: keyof typeof KINDS, number: number): string {
  return `${BEGINNING}${KINDS[kind]}00-8000-${number.toString(16).padStart(12, '0')}`;
}

export function numberOf(id: string): number {
  return Number.parseInt(id.slice(-12), 16);
}
