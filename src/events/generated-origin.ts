/** The 404s and clicks of the demo name this site, which marks them as made up. */
export const GENERATED_ORIGIN = 'https://generated.kettleandpine.example';
