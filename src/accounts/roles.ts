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

/** Who is logged in, with what he may do. */
export interface User {
  userId: string;
  email: string;
  /** Over all projects. What his groups at the provider give is among the roles. */
  role: Role | null;
  /** In some projects, by their ids. */
  memberships: Readonly<Record<string, Role>>;
  /** How he logged in. */
  method: LoginMethod;
  /** Whether he has a password with which he may log in. */
  hasPassword: boolean;
}

/** What a user may do in a project; undefined: he is not to know that there is one. */
export function roleIn(user: User, projectId: string): Role | undefined {
  const found = [user.role, user.memberships[projectId]];
  return [...ROLES].reverse().find((role) => found.includes(role));
}
