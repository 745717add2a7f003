/** The pattern of a UUID for JSON Schema. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

const UUID = new RegExp(UUID_PATTERN);

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Guards ids that become part of an SQL statement's text, where no parameter is possible. */
export function requireUuid(id: string): string {
  if (!UUID.test(id)) throw new Error('a project id is not a uuid');
  return id;
}
