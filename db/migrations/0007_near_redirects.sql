-- A dead path is judged by what the redirects of the paths nearest to it say: those before and after it in order.

alter table pathmend.moves
  -- Cut, because an index entry has a maximum size; stored, because row level security keeps functions out of an index.
  add column old_path_order text collate "C" generated always as (left(lower(old_path), 200)) stored;
comment on column pathmend.moves.old_path_order is 'The order of old paths, in which those of one section stand together.';
create index moves__old_path_order on pathmend.moves (project_id, old_path_order) where source = 'redirect';
