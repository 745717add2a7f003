-- When a redirect or gone path was made as it is. An import or sync that leaves it as it is leaves this, too, and says in
-- last_seen_at or imported_at that it was there. null: stored by an older release, whose last import is the best that is
-- known; the next import writes that down. (A wildcard's imported_at has stayed ever since.)

alter table pathmend.moves add column made_at timestamptz;
alter table pathmend.waiting_redirects add column made_at timestamptz;
alter table pathmend.gone_paths add column made_at timestamptz;
comment on column pathmend.moves.made_at is 'When the redirect was made as it is; null: a click, or by an older release, which reads as last_seen_at.';
comment on column pathmend.waiting_redirects.made_at is 'When the redirect was made as it is; null: by an older release, which reads as imported_at.';
comment on column pathmend.gone_paths.made_at is 'When it was made; null: by an older release, which reads as imported_at.';
comment on column pathmend.moves.last_seen_at is 'When the redirect was last imported, or the latest click arrived.';

create index moves__made on pathmend.moves (project_id, (coalesce(made_at, last_seen_at)) desc, old_path_hash) where source = 'redirect';
