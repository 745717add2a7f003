/** What a user may do, the least first: see; change pages and redirects; and keys, settings and members. */
export type Role = 'viewer' | 'editor' | 'admin';
export const ROLES: readonly Role[] = ['viewer', 'editor', 'admin'];

/** How somebody logged in. */
export type LoginMethod = 'password' | 'oidc' | 'proxy';

export function isRole(text: string | undefined): text is Role {
  return ROLES.some((role) => role === text);
}

/** Whether a role includes another. */
export function includesRole(role: Role | null | undefined, needed: Role): boolean {
  return role != null && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Who is logged in, with their rights. */
export interface User {
  userId: string;
  email: string;
  /** Over all projects. Roles from groups at the provider are among the roles. */
  role: Role | null;
  /** In some projects, by their ids. */
  memberships: Readonly<Record<string, Role>>;
  /** How the user logged in. */
  method: LoginMethod;
  /** Whether the user may log in with a password. */
  hasPassword: boolean;
}

/** What a user may do in a project; undefined: the user must not learn that it exists. */
export function roleIn(user: User, projectId: string): Role | undefined {
  const found = [user.role, user.memberships[projectId]];
  return [...ROLES].reverse().find((role) => found.includes(role));
}
