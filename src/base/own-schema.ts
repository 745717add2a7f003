/**
 * Options of ajv for schemas of ours: tests hold them to the meta schema. A process that did it at its start compiled
 * the meta schema, the largest of all, first: a tenth of a second of a busy machine's CPU.
 */
export const OWN_SCHEMA = { validateSchema: false, meta: false } as const;
