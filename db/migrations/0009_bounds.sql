-- Work on a project that two must not do at once takes turns by rows, not by advisory locks: these are anybody's who may
-- connect, and an analyst who held one would keep events from being stored.
create table pathmend.turns (
  project_id    uuid not null constraint turns__project references pathmend.projects on delete cascade,
  what          text not null constraint turns__what check (what in ('moves', 'own_indexes')),
  pid           integer,
  session_began timestamptz,
  constraint turns__pkey primary key (project_id, what)
);
alter table pathmend.turns enable row level security;
comment on table pathmend.turns is 'Whose turn it is to do work on a project that only one may do at a time.';
comment on column pathmend.turns.what is
  'moves: who has the row locked writes or learns moves, until its transaction ends. own_indexes: the session named here builds, for as long as it lives.';

-- What keeps the work of spelling small, whatever a project's vocabulary holds (db/functions/near_words.sql).

-- Words of one beginning and length, and of one ending and length, are rows of one key: a look-up can stop after so many of
-- them, where a range of words would first be read whole to find those of the right length. The key has the project in it,
-- so that no other index serves, which the planner might take for the better one. The column of counts must be in none of
-- them: it changes with every page, and the row could not stay where it is.
create index vocabulary__beginning on pathmend.vocabulary (uuid_hash_extended(project_id, hashtextextended(left(word, 2), length(word))));
create index vocabulary__end on pathmend.vocabulary (uuid_hash_extended(project_id, hashtextextended(right(word, 3), length(word))));
drop index pathmend.vocabulary__ending;

-- How many words there are: counting them takes a tenth of a second where they are many, and storing a page asks.
alter table pathmend.index_versions add column words bigint not null default 0;
update pathmend.index_versions i
   set words = (select count(*) from pathmend.vocabulary v where v.project_id = i.project_id);
comment on column pathmend.index_versions.words is 'Distinct words of the vocabulary. At a limit, pages bring no new ones (src/pages/bounded-vocabulary.ts).';

-- Searches and events are partitioned by their UTC day, as the analysts' views show it: a filter on the views' day then
-- reads the weeks that it is about and no others. The weeks go over as they are, each read once to prove its days;
-- until the week of today has its turn, nobody who writes waits. The primary keys stay with the partitions: one over all
-- cannot hold an expression.

drop view if exists analytics.click_through_daily, analytics.not_founds_daily, analytics.searches_without_results;

do $$
declare
  v_table text;
  v_time text;
  v_day text;
  v_week record;
begin
  -- It was never asked, and refused paths of more than 2,704 bytes.
  drop index pathmend.not_founds__path;

  foreach v_table in array array['searches', 'clicks', 'not_founds'] loop
    v_time := case v_table when 'searches' then 'searched_at' else 'received_at' end;
    v_day := format('(%I at time zone ''UTC'')::date', v_time);
    -- The oldest first: until the week of today has its turn, nobody who writes waits.
    for v_week in
      select c.relname as name, to_date(right(c.relname, 7), 'IYYY"w"IW') as monday
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = ('pathmend.' || v_table)::regclass
       order by c.relname
    loop
      execute format('alter table pathmend.%I add constraint of_its_week
                        check ((%2$s) is not null and (%2$s) >= %3$L and (%2$s) < %4$L)',
                     v_week.name, v_day, v_week.monday, v_week.monday + 7);
    end loop;
    execute format('alter table pathmend.%I rename to %I', v_table, v_table || '_until_now');
    execute format('create table pathmend.%I (like pathmend.%I including comments including constraints) partition by range ((%s))',
                   v_table, v_table || '_until_now', v_day);
    for v_week in
      select c.relname as name, to_date(right(c.relname, 7), 'IYYY"w"IW') as monday
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = ('pathmend.' || v_table || '_until_now')::regclass
       order by c.relname
    loop
      execute format('alter table pathmend.%I detach partition pathmend.%I', v_table || '_until_now', v_week.name);
      execute format('alter table pathmend.%I attach partition pathmend.%I for values from (%L) to (%L)',
                     v_table, v_week.name, v_week.monday, v_week.monday + 7);
      execute format('alter table pathmend.%I drop constraint of_its_week', v_week.name);
    end loop;
    execute format('drop table pathmend.%I', v_table || '_until_now');
  end loop;
end $$;

create index clicks__search on pathmend.clicks (project_id, search_id);

-- Neither has a foreign key, as the history itself: whoever deletes a project deletes them.
create table pathmend.history_days (
  project_id uuid not null,
  day        date not null,
  what       text not null constraint history_days__what check (what in ('searches', 'events')),
  bytes      bigint not null,
  stored     bigint not null,
  not_kept   bigint not null,
  constraint history_days__pkey primary key (project_id, day, what)
) with (fillfactor = 50);
comment on table pathmend.history_days is 'How much of a project''s searches and events arrived on a UTC day, and what of it was only counted (HISTORY_MB_PER_DAY).';
comment on column pathmend.history_days.bytes is 'Of all that arrived, as JSON.';
comment on column pathmend.history_days.stored is 'Searches or events that were stored.';
comment on column pathmend.history_days.not_kept is 'Searches or events that came beyond the limit, and were counted here and not stored.';

create table pathmend.refused_events (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamptz not null,
  refused_at  timestamptz not null default now(),
  reason      text not null,
  event       jsonb not null,
  constraint refused_events__pkey primary key (project_id, event_id)
);
comment on table pathmend.refused_events is 'Events that were acknowledged and that the database refuses to store, set aside so that others do not wait for them.';
comment on column pathmend.refused_events.event is 'The whole event, as it was queued.';

-- Pages that are gone from a site: redirects wait for them, visitors report them. And clicks count once for a search.

-- What clicks teach: which searches have been counted for which page. A search is a visit; who clicks twice says it once.
create table pathmend.counted_clicks (
  project_id uuid not null constraint counted_clicks__project references pathmend.projects on delete cascade,
  search_id  uuid not null,
  page_id    text collate "C" not null,
  counted_at timestamptz not null,
  constraint counted_clicks__pkey primary key (project_id, search_id, page_id)
);
create index counted_clicks__counted_at on pathmend.counted_clicks (counted_at);
comment on table pathmend.counted_clicks is 'Searches whose click on a page has been learned from: the next click of the same search on it is not.';

alter table pathmend.section_moves add column source text not null default 'redirect'
  constraint section_moves__source check (source in ('redirect', 'click'));
comment on column pathmend.section_moves.source is 'redirect: shown by the customer''s redirects; click: by clicks alone, which never make an answer sure.';
comment on column pathmend.section_moves.support is 'Distinct moved paths that show it; one known by a single click counts half.';
comment on column pathmend.moves.clicks is 'Searches for this path that were followed by a click on this page; null for a redirect.';
-- Until they are learned again, nobody knows which of these came from clicks alone.
update pathmend.section_moves s set source = 'click'
 where exists (select from pathmend.moves m where m.project_id = s.project_id and m.source = 'click');

-- Redirects whose page is not there: deleted, or not pushed yet. They become moves when the page is pushed.
create table pathmend.waiting_redirects (
  project_id    uuid not null constraint waiting_redirects__project references pathmend.projects on delete cascade,
  old_path_hash bytea not null,
  old_path      text not null,
  target        text not null,
  target_key    bytea not null,
  target_path   text not null,
  target_host   text,
  target_hash   bytea,
  imported_at   timestamptz not null,
  constraint waiting_redirects__pkey primary key (project_id, old_path_hash)
);
create index waiting_redirects__target on pathmend.waiting_redirects (project_id, target_key);
comment on table pathmend.waiting_redirects is 'Redirects to pages that the project does not have now; they answer nothing until such a page is pushed.';
comment on column pathmend.waiting_redirects.target is 'Where to: the url of the page that was deleted, or what the customer wrote.';
comment on column pathmend.waiting_redirects.target_key is 'As pages.path_key; a page with it is the target, on target_host where that is given, the very one of target_hash first.';

-- Pages of which visitors report that they are missing on the site, and those that the proxy was asked for.
create table pathmend.missing_pages (
  project_id    uuid not null,
  page_id       text collate "C" not null,
  path_key      bytea not null,
  networks      text[] not null default '{}',
  hours         timestamptz[] not null default '{}',
  first_at      timestamptz,
  last_at       timestamptz,
  reported_at   timestamptz,
  asked_at      timestamptz,
  asked_test_at timestamptz,
  constraint missing_pages__pkey primary key (project_id, page_id),
  constraint missing_pages__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
);
create index missing_pages__reported on pathmend.missing_pages (project_id, page_id, path_key) where reported_at is not null;
comment on table pathmend.missing_pages is 'What 404s of pages'' own urls say since the page was last pushed; an upsert of the page clears it.';
comment on column pathmend.missing_pages.path_key is 'As in pages: a page that is reported missing may still be named for its own path.';
comment on column pathmend.missing_pages.networks is 'Networks of visitors who met the 404 (/24 or /48), a few of them.';
comment on column pathmend.missing_pages.hours is 'Hours in which somebody without an address met it, a few of them.';
comment on column pathmend.missing_pages.reported_at is 'When the reports were enough: from then on the page is not suggested for other paths.';
comment on column pathmend.missing_pages.asked_at is 'When the proxy was last asked for the page''s own url: it is no target of the next such question.';
comment on column pathmend.missing_pages.asked_test_at is 'The same by a test key.';

alter table pathmend.models add column configured_at timestamptz not null default now();
comment on column pathmend.models.configured_at is
  'When a worker last started with this model: the latest is what projects change to, whichever worker does the work.';

alter table pathmend.waiting_redirects enable row level security;
alter table pathmend.missing_pages enable row level security;

comment on column pathmend.section_moves.contradictions is
  'Distinct moved paths that went elsewhere: below another new prefix, or though this one has such a page.';
comment on column pathmend.section_moves.confidence is
  'What lookups use, three decimals; the new prefixes of one old prefix share it out. A learning run that leaves it as it is changes no answer.';
