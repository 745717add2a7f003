import type { Request, Response } from 'express';
import { includesRole, roleIn, type Role, type User } from '../../accounts/roles.js';
import { recordChange as record, type Actor } from '../../accounts/actor.js';
import { hasGenerated } from '../../analytics/store/projects-overview.js';
import { findProject, type ProjectRow } from '../../projects/store/projects.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { ApiError, forbidden } from '../../base/errors.js';
import { Html } from '../../text/html.js';
import type { AccountDeps } from '../../accounts/login.js';
import type { OpenIdProvider } from '../../accounts/single-sign-on/openid-provider.js';
import type { ReadProxyHeader } from '../../accounts/single-sign-on/person.js';
import type { Config } from '../../platform/settings/config.js';
import type { GroupRole } from '../../platform/settings/console-settings.js';
import type { Logger } from '../../base/logger.js';
import type { Drain } from '../../http/server.js';
import type { JobQueue } from '../../platform/queue/queue.js';
import type { DeleteDeps } from '../../pages/delete-pages.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import type { SearchDeps } from '../../search/search.js';
import type { SendMail } from '../../watch/mail.js';
import type { SuggestionsAhead } from '../inbox/suggestions-ahead.js';
import type { Form } from './forms.js';

/** The parts of the service that the console shares with the API. */
export interface SharedDeps extends SearchDeps, DeleteDeps {
  bytes: InFlightBytes;
  logger: Logger;
  drain: Drain;
  trustedProxies: readonly string[];
}

/** The parts of the service and the settings that pages use. */
export interface ConsoleDeps extends SharedDeps, AccountDeps, Pick<Config, 'webhookNetworks' | 'eventRetentionDays'> {
  /** Returns CONSOLE_URL without a slash at its end; if it is not set, the default with the port of this console. */
  consoleUrl: () => string;
  /** The url at which this process serves the API. */
  apiUrl: string;
  queue: JobQueue;
  /** Undefined: no single sign-on. */
  openId: OpenIdProvider | undefined;
  openIdRoles: readonly GroupRole[];
  /** Undefined: the console trusts no header of a proxy. */
  readProxyHeader: ReadProxyHeader | undefined;
  /** Whether SMTP_URL is set. */
  sendsMail: boolean;
  /** Undefined: SMTP_URL is not set. */
  sendMail: SendMail | undefined;
  suggestionsAhead: SuggestionsAhead;
}

/** The reason why an action was refused, for the form that it came from. */
export interface Problem {
  message: string;
  /** The name of the field that the reason is about. */
  field: string | undefined;
}

/** A request, as pages see it. */
export interface Visit {
  deps: ConsoleDeps;
  request: Request;
  response: Response;
  /** The secret in the cookie: that of the session, if somebody is logged in. */
  secret: string;
  /** The parts of the path that the page names with colons. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  user: User | undefined;
  /** The href of a path below CONSOLE_URL, such as `/audit`. */
  href: (path: string) => string;
  /** The token that must be in every form that is posted: {@link form} puts it there. */
  formToken: string;
  /** The message of the action that led to this page. */
  notice: Notice | undefined;
  /** If an action was refused: the reason, and what the user had filled in (`fields`). The page is shown again. */
  problem?: Problem;
  fields?: Form;
}

export interface UserVisit extends Visit {
  user: User;
}

export interface ProjectVisit extends UserVisit {
  project: ProjectRow;
  tenant: Tenant;
  /** A path of the project, below CONSOLE_URL: `/inbox` is `/p/ID/inbox`. */
  ownPath: (path: string) => string;
  ownHref: (path: string) => string;
  /** Whether the user has this role in the project. */
  may: (role: Role) => boolean;
}

export interface View {
  /** The heading, and with the project's name the title. */
  title: string;
  content: Html;
  /** The asset that is loaded in addition to console.js. */
  script?: 'inbox.js';
  /** A body that is sent in place of the page: data for script, or a download, which browsers save as `filename`. */
  raw?: { type: `${'application' | 'text'}/${string}`; body: string | Uint8Array; filename?: string };
  /** The browser requests the page again after so many seconds. */
  refresh?: number;
  /** A url to which the browser goes in place of the page. */
  redirect?: string;
  /** The status code of the answer; 200 unless given. */
  status?: number;
  /** The project that the page is about; {@link projectPage} sets it. */
  project?: Pick<ProjectRow, 'project_id' | 'name'>;
  /** Whether visits to the project are made up, as in the demo; {@link projectPage} sets it. */
  isGenerated?: boolean;
}

/** A message that is shown once, on the next page. `secret`: a text in a field of its own, to be copied. */
export interface Notice {
  text: string;
  secret?: string;
}

/** The result of an action: the path below CONSOLE_URL to go to, and the message there. */
export type Done = Notice & { to: string };

/** The result of `show`: the content of the page, or the content with other parts of a View. */
type Shown = Html | (Omit<View, 'title'> & Partial<Pick<View, 'title'>>);

export interface Action<V> {
  /** The role that the user needs in the project, or over all projects; undefined: none. */
  role: Role | undefined;
  /** The maximum size of the form in bytes; 64 KiB unless given. */
  maxBytes?: number;
  /** The maximum size in bytes of a file that is the last field of the form, which is sent as multipart/form-data. */
  maxUpload?: number;
  /**
   * Returns the message for the page of the action, or for another page (`to`).
   * @throws ApiError of status 400: the page is shown again, with the message at the field that it names.
   */
  run: (visit: V, fields: Form) => Promise<string | (Notice & Partial<Done>)>;
}

type ActionOf = <V>(run: Action<V>['run'], limits?: Pick<Action<V>, 'maxBytes' | 'maxUpload'>) => Action<V>;
const actionOf =
  (role: Role | undefined): ActionOf =>
  (run, limits) => ({ role, run, ...limits });

/** An action of a public page, or of everybody who is logged in. */
export const asAnyone = actionOf(undefined);
export const asEditor = actionOf('editor');
export const asAdmin = actionOf('admin');

/** A page of the console. GET shows it; POST to its path, a slash and an action's name does that action. */
export interface ConsolePage<V> {
  /** The path of the page below CONSOLE_URL, as Express writes it: `/p/:project/pages/:page`. */
  path: string;
  /** The name of the page in the navigation; absent: the navigation leaves it out. */
  nav?: string;
  /** The heading of the page, unless `show` returns another; the name in the navigation unless given. */
  title?: string;
  /** The role that is needed to see it; viewer unless given. */
  role?: Role;
  /** The page sends requests to servers of others. It has slots of its own, so that it delays no other page. */
  asksOthers?: boolean;
  show: (visit: V) => Promise<Shown> | Shown;
  actions?: Readonly<Record<string, Action<V>>>;
}

/** A page of any kind. Its functions check that the user may do what they do. */
export interface Mountable extends Pick<ConsolePage<never>, 'path' | 'nav' | 'asksOthers'> {
  isOfProject: boolean;
  actions: Readonly<Record<string, { maxBytes?: number; maxUpload?: number }>>;
  show: (visit: Visit) => Promise<View>;
  /** @throws ApiError, LogInFirst if the user may not do that */
  admit: (name: string, visit: Visit) => Promise<unknown>;
  run: (name: string, visit: Visit, read: () => Promise<Form>) => Promise<Done>;
}

/** A page for anyone who has its address. */
export function publicPage(page: ConsolePage<Visit>): Mountable {
  const anyone = (): boolean => true;
  return mountable(page, (visit) => visit, anyone);
}

/** A page for everybody who is logged in. Its actions' roles are those over all projects. */
export function userPage(page: ConsolePage<UserVisit>): Mountable {
  return mountable(page, asUser, ({ user }, role) => includesRole(user.role, role));
}

/** A page of the project that `:project` names, by id or name. To users without access, the project does not exist. */
export function projectPage(page: ConsolePage<ProjectVisit>): Mountable {
  const show = async (visit: ProjectVisit): Promise<View> => {
    const { deps, project } = visit;
    const view = viewOf(page, await page.show(visit));
    if (view.raw || view.redirect !== undefined) return view;
    return { ...view, project, isGenerated: await hasGenerated(deps.db, project.project_id) };
  };
  return { ...mountable({ ...page, show }, enterProject, ({ may }, role) => may(role)), isOfProject: true };
}

function viewOf({ title, nav = '' }: Pick<Mountable, 'nav'> & { title?: string }, shown: Shown): View {
  return { title: title ?? nav, ...(shown instanceof Html ? { content: shown } : shown) };
}

/** @param enter what the page sees of a visit, after its checks */
function mountable<V extends Visit>(
  page: ConsolePage<V>,
  enter: (visit: Visit) => Promise<V> | V,
  may: (visit: V, role: Role) => boolean,
): Mountable {
  const enterAs = async (visit: Visit, role: Role | undefined): Promise<V> => {
    const entered = await enter(visit);
    if (role === undefined || may(entered, role)) return entered;
    throw forbidden(`You need the role ${role} for this. Ask an admin.`);
  };
  return {
    ...page,
    isOfProject: false,
    actions: page.actions ?? {},
    show: async (visit) => viewOf(page, await page.show(await enterAs(visit, page.role))),
    admit: (name, visit) => enterAs(visit, page.actions?.[name]?.role),
    run: async (name, visit, read) => {
      const action = page.actions?.[name];
      if (!action) throw new ApiError('not_found');
      const form = await read();
      const entered = await enterAs(visit, action.role);
      const done = await action.run(entered, form);
      const to = page.path.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(entered.params[part] ?? ''));
      return { to, ...(typeof done === 'string' ? { text: done } : done) };
    },
  };
}

/** This error is thrown where nobody is logged in. */
export class LogInFirst extends Error {}

function asUser(visit: Visit): UserVisit {
  if (!visit.user) throw new LogInFirst();
  return { ...visit, user: visit.user };
}

async function enterProject(visit: Visit): Promise<ProjectVisit> {
  const entered = asUser(visit);
  const project = await findProject(visit.deps.db, visit.params['project'] ?? '');
  const role = project && roleIn(entered.user, project.project_id);
  if (!project || !role)
    throw new ApiError('not_found', { message: 'This project does not exist, or you have no access to it.' });
  const tenant = visit.deps.tenants.of(project.project_id);
  const ownPath = (path: string): string => `/p/${project.project_id}${path}`;
  return {
    ...entered,
    params: { ...entered.params, project: project.project_id },
    project,
    tenant,
    ownPath,
    ownHref: (path) => visit.href(ownPath(path)),
    may: (needed) => includesRole(role, needed),
  };
}

/** The user as the actor, for the functions that change something and record it. */
export function actorOf({ user, request }: UserVisit): Actor {
  const { userId, email, method } = user;
  return { name: email, userId, who: email, method, address: request.ip ?? '' };
}

/** Writes into the audit log what the user changed; in the transaction of the change where there is one. */
export async function recordChange(
  visit: UserVisit & { project?: ProjectRow },
  action: string,
  subject: string,
  db = visit.deps.db,
): Promise<void> {
  await record(db, actorOf(visit), visit.project, action, subject);
}
