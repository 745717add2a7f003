import type { SchemaObject } from 'ajv';
import { ERROR_CATALOGUE } from '../base/errors.js';
import { exactly, freeForm, named } from './operation.js';

/** What an error says. */
export const ERROR_FIELDS: SchemaObject = exactly(
  {
    code: { type: 'string', enum: Object.keys(ERROR_CATALOGUE), description: 'What happened, for programs.' },
    message: { type: 'string', description: 'What is wrong and what would be right, for people.' },
    param: { type: 'string', description: 'The field that is wrong, as a dotted path: `options.filters.category`.' },
    details: freeForm('More about it: with `internal_error` the `request_id` under which the log has it.'),
  },
  ['param', 'details'],
);

/** The body of every error. */
export const ERROR: SchemaObject = named('Error', exactly({ error: ERROR_FIELDS }));
