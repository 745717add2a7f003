import type { SchemaObject } from 'ajv';
import type { RequestLimits } from '../platform/settings/config.js';

export const DEFAULT_LIMIT = 3;

/** The schema of `limit` and `top_k`. */
export function limitSchema(limits: RequestLimits): SchemaObject {
  return {
    type: 'integer',
    minimum: 1,
    maximum: limits.results,
    default: DEFAULT_LIMIT,
    label: `a whole number from 1 to ${limits.results}`,
    description: 'Answers at most.',
  };
}

export const PAGE_ID: SchemaObject = {
  type: 'string',
  pattern: '^[0-9a-f]{24}$',
  description: "The page's identifier.",
};
