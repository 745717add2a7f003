import { isNetwork } from '../../text/ip-address.js';

/** The kinds of settings, as JSON Schema. Our own keyword `must` is how a refusal describes the right text. */
export const count = (minimum: number, maximum: number, fallback: number, description: string) =>
  ({ type: 'integer', minimum, maximum, default: fallback, description }) as const;

export const text = (fallback: string, description: string) =>
  ({ type: 'string', default: fallback, description }) as const;

export const choice = <const Choice extends string>(
  choices: readonly Choice[],
  fallback: Choice,
  description: string,
) => ({ type: 'string', enum: choices, default: fallback, description }) as const;

/** A text that must match a pattern; empty unless it is set. */
export const pattern = (pattern: string, must: string, description: string) =>
  ({ ...text('', description), pattern, must: `must be ${must}` }) as const;

export const inFormat = (format: keyof typeof FORMATS, description: string) =>
  ({ ...text('', description), format }) as const;

/** The types of the values that the program gets from declared settings. */
export type ValuesOf<Declared> = {
  -readonly [Name in keyof Declared]: Declared[Name] extends { type: 'integer' }
    ? number
    : Declared[Name] extends { enum: readonly (infer Choice)[] }
      ? Choice
      : string;
};

const NETWORKS = 'must be addresses or networks with commas, such as 10.0.0.0/8';

/** Formats of texts that no pattern describes. */
export const FORMATS = {
  port: {
    accepts: (port: string) => /^\d{1,5}$/.test(port) && Number(port) <= 65_535,
    must: () => 'must be a whole number from 0 to 65535',
  },
  /** Networks of trusted proxies. */
  networks: {
    accepts: (networks: string) => listOf(networks).every(isNetwork),
    must: (networks: string) =>
      /\/0+\b/.test(networks)
        ? "must name your proxies alone (whoever is trusted may say any address to be the caller's), such as 10.0.0.0/8"
        : NETWORKS,
  },
  own_networks: { accepts: (networks: string) => listOf(networks).every(isNetwork), must: () => NETWORKS },
  pairs: { accepts: isListOfPairs, must: () => 'must be `name=value`, separated by commas' },
} as const;

/** Splits a list with commas into its parts. */
export function listOf(text: string): string[] {
  return text.split(',').flatMap((part) => part.trim() || []);
}

/** Whether a list of `name=value` can be read; values may be percent-encoded. */
function isListOfPairs(list: string): boolean {
  try {
    pairs(list);
    return listOf(list).every((pair) => /^[\w.-]+\s*=/.test(pair));
  } catch {
    return false;
  }
}

/** Reads a list of `name=value`. @throws URIError */
export function pairs(list: string): Record<string, string> {
  const byName: Record<string, string> = {};
  for (const pair of list.split(',')) {
    const at = pair.indexOf('=');
    if (at > 0) byName[pair.slice(0, at).trim()] = decodeURIComponent(pair.slice(at + 1).trim());
  }
  return byName;
}
