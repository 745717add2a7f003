// Written by `npm run db:dump` from the migrated schema: change a migration, not this file.
import type { ColumnType, SelectType } from 'kysely';
import type { JsonValue } from '../../base/glossary.js';

/** A bigint is read as text: it may be greater than a number holds exactly. */
type Bigint = ColumnType<string, string | number | bigint, string | number | bigint>;
type Moment = ColumnType<Date, Date | string, Date | string>;
/** JSON is written as text: pg would make an array of SQL of a list. */
type Json = ColumnType<JsonValue, string, string>;
type List<T> = ColumnType<T[], readonly T[], readonly T[]>;
/** The database has a value where none is given. */
type Default<T> = T extends ColumnType<infer Read, infer Written, infer Changed>
  ? ColumnType<Read, Written | undefined, Changed>
  : ColumnType<T, T | undefined, T>;
type Nullable<T> = T extends ColumnType<infer Read, infer Written, infer Changed>
  ? ColumnType<Read | null, Written | null | undefined, Changed | null>
  : ColumnType<T | null, T | null | undefined, T | null>;
/** The database computes the value. */
type Computed<T> = ColumnType<SelectType<T>, never, never>;

interface Alerts {
  project_id: string;
  alert_id: Default<string>;
  kind: 'dead_target' | 'not_found_spike' | 'page_error' | 'refused_prune' | 'sync_failed';
  cause_hash: Buffer;
  cause: Json;
  began_at: Moment;
  ended_at: Nullable<Moment>;
}

interface AnalystProjects {
  project_id: string;
  login: string;
}

interface ApiKeys {
  project_id: string;
  key_id: Default<string>;
  name: Nullable<string>;
  key_hash: Buffer;
  ending: string;
  mode: 'live' | 'test';
  scopes: List<'read' | 'rules' | 'write'>;
  created_at: Default<Moment>;
  expires_at: Nullable<Moment>;
  revoked_at: Nullable<Moment>;
  last_used_at: Nullable<Moment>;
}

interface AuditLog {
  entry_id: Computed<Bigint>;
  changed_at: Default<Moment>;
  user_id: Nullable<string>;
  who: string;
  method: Nullable<'oidc' | 'password' | 'proxy'>;
  address: Nullable<string>;
  about_project: Nullable<string>;
  project_name: Nullable<string>;
  action: string;
  subject: string;
}

interface BrokenLinks {
  project_id: string;
  place: number;
  url: string;
  path: string;
  path_hash: Buffer;
  plain_hash: Buffer;
  status: Nullable<number>;
  answer: string;
  pages: List<string>;
  page_count: number;
  checked_at: Moment;
}

interface Chunks {
  project_id: string;
  model_id: number;
  page_id: string;
  ordinal: number;
  arrival: Default<Bigint>;
  start_at: number;
  end_at: number;
  text_hash: Bigint;
  embedding: string;
}

interface ClickedQuestions {
  project_id: string;
  question_hash: Buffer;
  page_id: string;
  question: string;
  clicks: Bigint;
  last_clicked_at: Moment;
  model_id: Nullable<number>;
  embedding: Nullable<string>;
}

interface Clicks {
  project_id: string;
  event_id: string;
  received_at: Moment;
  occurred_at: Moment;
  search_id: string;
  clicked_url: string;
  clicked_rank: Bigint;
  raw_path: string;
  origin: Nullable<string>;
  is_test: boolean;
}

interface CountedClicks {
  project_id: string;
  search_id: string;
  page_id: string;
  counted_at: Moment;
}

interface Deliveries {
  project_id: string;
  delivery_id: string;
  channel: 'email' | 'webhook';
  message: Json;
  state: 'delivered' | 'failed' | 'waiting';
  attempts: number;
  error: Nullable<string>;
  made_at: Moment;
  tried_at: Nullable<Moment>;
}

interface EmptySearchDays {
  project_id: string;
  day: Moment;
  kind: string;
  query_hash: Buffer;
  understood: string;
  example_input: string;
  searches: Bigint;
  last_searched: Moment;
  others: Default<Bigint>;
}

interface HeldPages {
  project_id: string;
  page_id: string;
}

interface HistoryDays {
  project_id: string;
  day: Moment;
  what: 'events' | 'searches';
  bytes: Bigint;
  stored: Bigint;
  not_kept: Bigint;
}

interface Identities {
  issuer: string;
  subject: string;
  user_id: string;
  linked_at: Default<Moment>;
}

interface IndexSegments {
  project_id: string;
  model_id: number;
  segment: Bigint;
  after: Bigint;
  covered: Bigint;
  chunks: Bigint;
  pages: Bigint;
  built_at: Default<Moment>;
  swept_at: Default<Moment>;
}

interface IndexVersions {
  project_id: string;
  version: Default<Bigint>;
  words: Default<Bigint>;
  pages: Default<Bigint>;
  gone_share: Nullable<number>;
}

interface IndexedPages {
  project_id: string;
  page_id: string;
  content_version: Bigint;
  arrival: Default<Bigint>;
  path: string;
  path_words: string;
  slug_words: string;
  path_trigrams: string;
  slug_trigrams: string;
  counted_words: Default<List<string>>;
  words: List<string>;
  headings: Default<string>;
  understood: Default<boolean>;
  unread: Default<number>;
  indexed_at: Nullable<Moment>;
}

interface Invitations {
  token_hash: Buffer;
  email: string;
  role: 'admin' | 'editor' | 'viewer';
  for_project: Nullable<string>;
  invited_by: Nullable<string>;
  expires_at: Moment;
}

interface Judgements {
  project_id: string;
  path_key: Buffer;
  url_hash: Buffer;
  path: string;
  path_hash: Nullable<Buffer>;
  url: string;
  score: number;
  is_right: Nullable<boolean>;
  judged_by: string;
  judged_at: Default<Moment>;
}

interface LatencyDays {
  project_id: string;
  day: Moment;
  kind: string;
  bucket: number;
  searches: Bigint;
  others: Default<Bigint>;
}

interface LearnedRedirects {
  project_id: string;
  old_path_hash: Buffer;
  page_id: string;
  old_path: string;
  clicks: Bigint;
  last_seen_at: Moment;
}

interface Memberships {
  project_id: string;
  user_id: string;
  role: 'admin' | 'editor' | 'viewer';
}

interface Migrations {
  number: number;
  name: string;
  applied_at: Default<Moment>;
}

interface MissingPages {
  project_id: string;
  page_id: string;
  path_key: Buffer;
  networks: Default<List<string>>;
  hours: Default<List<Date>>;
  first_at: Nullable<Moment>;
  last_at: Nullable<Moment>;
  reported_at: Nullable<Moment>;
  asked_at: Nullable<Moment>;
  asked_test_at: Nullable<Moment>;
}

interface MissingPaths {
  project_id: string;
  path_hash: Buffer;
  path: string;
  plain_hash: Nullable<Buffer>;
  people: Bigint;
  unknown: Bigint;
  assistants: Bigint;
  search_engines: Bigint;
  robots: Bigint;
  scanners: Bigint;
  redirected: Bigint;
  clicked: Bigint;
  suggested: Bigint;
  nothing: Bigint;
  gone: Bigint;
  unlinked: Bigint;
  first_seen: Moment;
  last_seen: Moment;
  last_human: Nullable<Moment>;
  best_page_id: Nullable<string>;
  best_url: Nullable<string>;
  best_score: Nullable<number>;
  best_at: Nullable<Moment>;
  forgotten: Default<Bigint>;
}

interface ModelNames {
  name: string;
  configured_at: Nullable<Moment>;
  failure: Nullable<string>;
}

interface Models {
  model_id: Computed<number>;
  fingerprint: string;
  name: string;
  location: string;
  dimensions: number;
  created_at: Default<Moment>;
  configured_at: Default<Moment>;
}

interface NotFoundDays {
  project_id: string;
  day: Moment;
  origin: string;
  visitor: string;
  outcome: string;
  hits: Bigint;
}

interface NotFoundHours {
  project_id: string;
  hour: Moment;
  hits: Bigint;
}

interface NotFounds {
  project_id: string;
  event_id: string;
  received_at: Moment;
  key_id: Nullable<string>;
  is_test: boolean;
  raw_path: string;
  origin: Nullable<string>;
  host: Nullable<string>;
  referrer: Nullable<string>;
  user_agent: Nullable<string>;
  visitor: Default<string>;
  visitor_ip: Nullable<string>;
  search_id: Nullable<string>;
  outcome: Default<string>;
}

interface PageTerms {
  project_id: string;
  page_id: string;
  part: number;
  arrival: Default<Bigint>;
  terms: string;
}

interface PageValidators {
  project_id: string;
  page_id: string;
  etag: Nullable<string>;
  last_modified: Nullable<string>;
  lastmod: Nullable<string>;
  links: Nullable<Buffer>;
  stored_at: Default<Moment>;
}

interface Pages {
  project_id: string;
  page_id: string;
  url: string;
  url_hash: Buffer;
  path_key: Buffer;
  title: Nullable<string>;
  content: string;
  content_hash: Buffer;
  former_hash: Nullable<Buffer>;
  content_version: Default<Bigint>;
  metadata: Nullable<Json>;
  metadata_bytes: Nullable<number>;
  status: Default<'ERROR' | 'INDEXED' | 'PENDING_VECTORIZATION' | 'PROCESSING'>;
  status_at: Default<Moment>;
  error: Nullable<string>;
  created_at: Default<Moment>;
  updated_at: Default<Moment>;
}

interface PathDays {
  project_id: string;
  day: Moment;
  path_hash: Buffer;
  visitor: string;
  hits: Bigint;
  redirected: Bigint;
  clicked: Bigint;
  suggested: Bigint;
  nothing: Bigint;
  gone: Bigint;
  unlinked: Bigint;
  first_seen: Moment;
  last_seen: Moment;
}

interface PathRules {
  project_id: string;
  path_hash: Buffer;
  rule_key: Buffer;
}

interface PositionDays {
  project_id: string;
  day: Moment;
  kind: string;
  position: number;
  band: number;
  shown: Bigint;
  clicked: Bigint;
  others_shown: Default<Bigint>;
  others_clicked: Default<Bigint>;
}

interface ProjectSources {
  project_id: string;
  kind: 'path' | 'upload' | 'url';
  source: string;
  base: Nullable<string>;
  include: Default<List<string>>;
  exclude: Default<List<string>>;
  follows_links: Nullable<boolean>;
  guarded: boolean;
  prune: boolean;
  every_seconds: Nullable<number>;
  next_at: Nullable<Moment>;
  set_by: string;
  set_at: Moment;
}

interface Projects {
  project_id: Default<string>;
  name: string;
  plan: Nullable<'enterprise' | 'hacker' | 'scale' | 'solo' | 'startup'>;
  access: Default<'open' | 'restricted'>;
  read_rate: Default<number>;
  read_burst: Default<number>;
  write_rate: Default<number>;
  write_burst: Default<number>;
  model_id: Nullable<number>;
  model_choice: Nullable<string>;
  model_decided: Nullable<Json>;
  title_evidence: Default<boolean>;
  redirect_above: Default<number>;
  shown_from: Default<number>;
  trial: Default<boolean>;
  path_case: Nullable<'ignored' | 'matters'>;
  path_slash: Nullable<'ignored' | 'matters'>;
  site_search: Nullable<string>;
  created_at: Default<Moment>;
}

interface RateBuckets {
  project_id: string;
  bucket: 'read' | 'write';
  tokens: number;
  updated_at: Moment;
  leased_to: Nullable<string>;
  others_until: Default<Moment>;
}

interface ReferrerWeeks {
  project_id: string;
  week: Moment;
  path_hash: Buffer;
  referrer_hash: Buffer;
  referrer: string;
  own: Nullable<boolean>;
  human: Bigint;
  others: Bigint;
  first_seen: Moment;
  last_seen: Moment;
}

interface RefusedEvents {
  project_id: string;
  event_id: string;
  received_at: Moment;
  refused_at: Default<Moment>;
  reason: string;
  event: Json;
}

interface Repeatables {
  name: string;
  sha256: string;
  run_at: Default<Moment>;
}

interface Rollups {
  project_id: string;
  what: 'not_founds' | 'searches';
  stale: Default<boolean>;
  paths: Default<Bigint>;
  forgotten: Default<Bigint>;
}

interface RuleChanges {
  project_id: string;
  change_id: number;
  changed_at: Moment;
  changed_by: string;
  kind: 'change' | 'confirm' | 'undo';
  undoes: Nullable<number>;
  undone_by: Nullable<number>;
  rules: Json;
}

interface RuleHits {
  project_id: string;
  rule_key: Buffer;
  hits: Bigint;
  last_hit_at: Moment;
}

interface RuleProposals {
  project_id: string;
  rule_key: Buffer;
  path: string;
  target: string;
  source: 'clicks' | 'map' | 'redirects' | 'sections';
  support: number;
  contradictions: number;
  confidence: number;
  evidence: Json;
  paths: number;
  requests: number;
  examples: Json;
  proposed_at: Moment;
  rejected_at: Nullable<Moment>;
  rejected_by: Nullable<string>;
}

interface Rules {
  project_id: string;
  rule_key: Buffer;
  host: Nullable<string>;
  path: string;
  spellings: Default<List<string>>;
  prefix: Nullable<string>;
  pattern_start: Nullable<string>;
  plain_key: Nullable<Buffer>;
  path_order: Computed<string>;
  folder_hash: Nullable<Buffer>;
  action: 'gone' | 'ignore' | 'redirect';
  code: Nullable<number>;
  target: Nullable<string>;
  target_key: Nullable<Buffer>;
  target_bare_key: Nullable<Buffer>;
  target_path: Nullable<string>;
  target_host: Nullable<string>;
  target_hash: Nullable<Buffer>;
  new_prefix: Nullable<string>;
  pass_query: Default<boolean>;
  valid_from: Nullable<Moment>;
  valid_until: Nullable<Moment>;
  origin: 'console' | 'import' | 'learned' | 'person' | 'sync';
  made_by: Nullable<string>;
  made_at: Moment;
  confidence: Nullable<number>;
}

interface SearchDays {
  project_id: string;
  day: Moment;
  kind: string;
  band: number;
  searches: Bigint;
  clicked: Bigint;
  filtered: Bigint;
  redirected: Default<Bigint>;
  others: Default<Bigint>;
  others_clicked: Default<Bigint>;
  others_redirected: Default<Bigint>;
}

interface Searches {
  project_id: string;
  search_id: string;
  searched_at: Moment;
  kind: 'not-found' | 'proxy' | 'search' | 'semantic-search' | 'suggest';
  key_id: Nullable<string>;
  is_test: boolean;
  of_others: Default<boolean>;
  input: string;
  understood: string;
  filtered: boolean;
  threshold: number;
  results: Json;
  best_score: Nullable<number>;
  led_to: Nullable<string>;
  redirected: Default<boolean>;
  would_redirect: Default<boolean>;
  clicked_rank: Nullable<Bigint>;
  cached: boolean;
  took_ms: number;
}

interface SectionRedirects {
  project_id: string;
  old_prefix: string;
  new_prefix: string;
  source: Default<'click' | 'redirect'>;
  support: number;
  contradictions: number;
  confidence: number;
}

interface Sessions {
  token_hash: Buffer;
  user_id: string;
  method: Default<'oidc' | 'password' | 'proxy'>;
  group_roles: Default<Json>;
  created_at: Default<Moment>;
  last_seen_at: Default<Moment>;
}

interface SyncRuns {
  project_id: string;
  run_id: Default<string>;
  source: string;
  prune: boolean;
  dry_run: boolean;
  preview: Default<boolean>;
  asked_by: string;
  tries: Default<number>;
  began_at: Moment;
  heard_at: Nullable<Moment>;
  ended_at: Nullable<Moment>;
  outcome: Nullable<'done' | 'failed' | 'incomplete'>;
  report: Default<Json>;
  problem: Nullable<string>;
  refusals: Default<Json>;
  left_out: Default<Json>;
  seen: Nullable<Json>;
}

interface Tombstones {
  project_id: string;
  url_hash: Buffer;
  url: string;
  path_key: Buffer;
  title: Nullable<string>;
  content_hash: Buffer;
  former_hash: Nullable<Buffer>;
  content: Nullable<string>;
  model_id: Nullable<number>;
  beginning: Nullable<string>;
  terms: Nullable<string>;
  created_at: Default<Moment>;
  deleted_at: Default<Moment>;
}

interface Turns {
  project_id: string;
  what: 'index_segments' | 'learned_redirects';
  pid: Nullable<number>;
  session_began: Nullable<Moment>;
}

interface UploadChunks {
  project_id: string;
  upload_id: string;
  place: number;
  bytes: Buffer;
}

interface Uploads {
  project_id: string;
  upload_id: Default<string>;
  name: string;
  bytes: Nullable<number>;
  begun_at: Moment;
}

interface Users {
  user_id: Default<string>;
  email: string;
  role: Nullable<'admin' | 'editor' | 'viewer'>;
  password_hash: Nullable<string>;
  password_login: Nullable<boolean>;
  failed_logins: Default<number>;
  locked_until: Default<Moment>;
  created_at: Default<Moment>;
  last_login_at: Nullable<Moment>;
  disabled_at: Nullable<Moment>;
}

interface Vocabulary {
  project_id: string;
  word: string;
  pages: number;
}

interface WaitingLinks {
  project_id: string;
  search_id: string;
  near: Moment;
  added_at: Default<Moment>;
}

interface Watches {
  project_id: string;
  emails: Default<List<string>>;
  webhook_url: Nullable<string>;
  webhook_secret: Nullable<Buffer>;
  alerts: List<string>;
  digest: boolean;
  digest_week: Nullable<Moment>;
  changed_at: Moment;
}

interface WordlessPages {
  project_id: string;
  is_bulk: boolean;
  page_id: string;
}

interface WrongGuesses {
  project_id: string;
  path_key: Buffer;
  url_hash: Buffer;
  url: string;
}

export interface Database {
  'pathmend.alerts': Alerts;
  'pathmend.analyst_projects': AnalystProjects;
  'pathmend.api_keys': ApiKeys;
  'pathmend.audit_log': AuditLog;
  'pathmend.broken_links': BrokenLinks;
  'pathmend.chunks': Chunks;
  'pathmend.clicked_questions': ClickedQuestions;
  'pathmend.clicks': Clicks;
  'pathmend.counted_clicks': CountedClicks;
  'pathmend.deliveries': Deliveries;
  'pathmend.empty_search_days': EmptySearchDays;
  'pathmend.held_pages': HeldPages;
  'pathmend.history_days': HistoryDays;
  'pathmend.identities': Identities;
  'pathmend.index_segments': IndexSegments;
  'pathmend.index_versions': IndexVersions;
  'pathmend.indexed_pages': IndexedPages;
  'pathmend.invitations': Invitations;
  'pathmend.judgements': Judgements;
  'pathmend.latency_days': LatencyDays;
  'pathmend.learned_redirects': LearnedRedirects;
  'pathmend.memberships': Memberships;
  'pathmend.migrations': Migrations;
  'pathmend.missing_pages': MissingPages;
  'pathmend.missing_paths': MissingPaths;
  'pathmend.model_names': ModelNames;
  'pathmend.models': Models;
  'pathmend.not_found_days': NotFoundDays;
  'pathmend.not_found_hours': NotFoundHours;
  'pathmend.not_founds': NotFounds;
  'pathmend.page_terms': PageTerms;
  'pathmend.page_validators': PageValidators;
  'pathmend.pages': Pages;
  'pathmend.path_days': PathDays;
  'pathmend.path_rules': PathRules;
  'pathmend.position_days': PositionDays;
  'pathmend.project_sources': ProjectSources;
  'pathmend.projects': Projects;
  'pathmend.rate_buckets': RateBuckets;
  'pathmend.referrer_weeks': ReferrerWeeks;
  'pathmend.refused_events': RefusedEvents;
  'pathmend.repeatables': Repeatables;
  'pathmend.rollups': Rollups;
  'pathmend.rule_changes': RuleChanges;
  'pathmend.rule_hits': RuleHits;
  'pathmend.rule_proposals': RuleProposals;
  'pathmend.rules': Rules;
  'pathmend.search_days': SearchDays;
  'pathmend.searches': Searches;
  'pathmend.section_redirects': SectionRedirects;
  'pathmend.sessions': Sessions;
  'pathmend.sync_runs': SyncRuns;
  'pathmend.tombstones': Tombstones;
  'pathmend.turns': Turns;
  'pathmend.upload_chunks': UploadChunks;
  'pathmend.uploads': Uploads;
  'pathmend.users': Users;
  'pathmend.vocabulary': Vocabulary;
  'pathmend.waiting_links': WaitingLinks;
  'pathmend.watches': Watches;
  'pathmend.wordless_pages': WordlessPages;
  'pathmend.wrong_guesses': WrongGuesses;
}
