-- Missing paths by meaning: a job groups those that help nobody by their words' vectors, and names each group.
alter table pathmend.missing_paths add column topic text;
comment on column pathmend.missing_paths.topic is
  'Words that name the group of the path, of those that people look for in vain; empty: it has no words. null: not grouped.';
