-- What visitors asked and clicked again and again is evidence for the next question that means the same.
create table pathmend.clicked_questions (
  project_id      uuid not null,
  -- The hash, not the question: one of 2,000 characters does not fit into a b-tree entry.
  question_hash   bytea not null,
  page_id         text collate "C" not null,
  question        text not null,
  clicks          bigint not null constraint clicked_questions__clicks check (clicks > 0),
  last_clicked_at timestamptz not null,
  model_id        integer constraint clicked_questions__model references pathmend.models,
  embedding       halfvec,
  constraint clicked_questions__pkey primary key (project_id, question_hash, page_id),
  constraint clicked_questions__page foreign key (project_id, page_id) references pathmend.pages on delete cascade,
  constraint clicked_questions__vector check ((model_id is null) = (embedding is null))
);
create index clicked_questions__page_of_project on pathmend.clicked_questions (project_id, page_id);
-- Those that may be evidence.
create index clicked_questions__latest on pathmend.clicked_questions (project_id, last_clicked_at desc, question_hash)
  where clicks >= 3;
create index clicked_questions__searched on pathmend.clicked_questions (project_id, model_id) where embedding is not null;
alter table pathmend.clicked_questions enable row level security;
comment on table pathmend.clicked_questions is 'Questions and the pages that visitors chose for them.';
comment on column pathmend.clicked_questions.question_hash is 'SHA-256 of the question.';
comment on column pathmend.clicked_questions.question is 'In lower case, with single spaces.';
comment on column pathmend.clicked_questions.clicks is 'Searches with this question that were followed by a click on this page.';
comment on column pathmend.clicked_questions.embedding is 'The vector of the question by the model; null: it is no evidence (yet).';
