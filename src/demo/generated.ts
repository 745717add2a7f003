/** Marks made-up traffic: the site that 404s, clicks and own links name. Ids of searches and events begin alike. */
export const GENERATED_ORIGIN = 'https://generated.kettleandpine.example';

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
