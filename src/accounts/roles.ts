/** A viewer may see; an editor may change pages and redirects; an admin also keys, settings and members. */
export type Role = 'viewer' | 'editor' | 'admin';
export const ROLES: readonly Role[] = ['viewer', 'editor', 'admin'];

/** A user logs in by one of these methods. */
export type LoginMethod = 'password' | 'oidc' | 'proxy';

/** Whether a role includes another. */
export function includesRole(role: Role | null | undefined, needed: Role): boolean {
  return role != null && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** A user who is logged in has these rights. */
export interface User {
  userId: string;
  email: string;
  /** The role over all projects; null: none. A role from groups at the provider counts, too. */
  role: Role | null;
  /** The roles in single projects, by project id. */
  memberships: Readonly<Record<string, Role>>;
  /** The user logged in by this method. */
  method: LoginMethod;
  /** Whether the user may log in with a password. */
  hasPassword: boolean;
}

/** Finds the user's role in a project; undefined: the user must not learn that it exists. */
export function roleIn(user: User, projectId: string): Role | undefined {
  const held = [user.role, user.memberships[projectId]];
  return [...ROLES].reverse().find((role) => held.includes(role));
}
