/** A UUID, as a pattern of JSON Schema. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

const UUID = new RegExp(UUID_PATTERN);

/** For ids that become part of a statement's text, where no parameter can stand. */
export function requireUuid(id: string): string {
  if (!UUID.test(id)) throw new Error('a project id is not a uuid');
  return id;
}
