/** Marks made-up traffic, the demo's: the site that its 404s, clicks and own links name. */
export const GENERATED_ORIGIN = 'https://generated.kettleandpine.example';
