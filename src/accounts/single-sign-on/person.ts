import type { GroupRoles } from '../store/sessions.js';
import type { GroupRole, OpenIdConfig } from '../../platform/settings/sign-on.js';
import { readEmail } from '../email.js';
import { includesRole, type Role } from '../roles.js';

/** What a provider says of somebody. */
export interface Person {
  /** In lower case; undefined: none, or not verified. */
  email: string | undefined;
  groups: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;
const MAX_GROUPS = 1_000;

/** @param sources claims of the id token, then of userinfo: an address and whether it is verified are of one source. */
export function personOf(
  sources: readonly Claims[],
  { verifiedClaim, groupsClaim }: Pick<OpenIdConfig, 'verifiedClaim' | 'groupsClaim'>,
): Person {
  const addressed = sources.find((claims) => typeof claims['email'] === 'string');
  const grouped = sources.map((claims) => claimAt(claims, groupsClaim)).find((groups) => groups !== undefined);
  return {
    email: addressed && isTrue(claimAt(addressed, verifiedClaim)) ? emailOf(addressed['email']) : undefined,
    groups: textsOf(grouped).slice(0, MAX_GROUPS),
  };
}

/** The claim of this name, or where the parts of the name lead. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Claims)[part];
  }
  return at;
}

/** What groups give: the highest role in each project, `*` for all. Who is in no group of the list gets nothing. */
export function rolesOfGroups(
  groups: readonly string[],
  roles: readonly GroupRole[],
  projectIdOf: (project: string) => string | undefined,
): GroupRoles {
  const given: Record<string, Role> = {};
  for (const { group, role, project } of roles) {
    const id = project === undefined ? '*' : projectIdOf(project);
    if (id !== undefined && groups.includes(group) && !includesRole(given[id], role)) given[id] = role;
  }
  return given;
}

/** Some providers write true as a text (Cognito) or as 1 (Entra's xms_edov). */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}

function emailOf(value: unknown): string | undefined {
  try {
    return readEmail(String(value));
  } catch {
    return undefined;
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
