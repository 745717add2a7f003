-- The words of each page's content, weighted, beside its vectors: names, error codes and rare words are found exactly.

-- Apart from indexed_pages, whose rows other scans read. Rows stay inline up to 8 kB (some 900 distinct words): an exact
-- scan reads them all, and every value out of line would cost it another lookup.
create table pathmend.page_terms (
  project_id uuid not null,
  page_id    text collate "C" not null,
  part       smallint not null,
  terms      sparsevec(1000000000) not null,
  constraint page_terms__pkey primary key (project_id, page_id, part),
  constraint page_terms__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
) with (toast_tuple_target = 8160);
alter table pathmend.page_terms alter column terms set storage main;
comment on table pathmend.page_terms is
  'What of each term a page covers, 0 to 1 (the page''s half of BM25); the inner product with a question''s weights is its score.';
comment on column pathmend.page_terms.part is 'A sparse vector holds 16,000 terms; what is beyond goes on in the next part.';
comment on column pathmend.page_terms.terms is 'Dimensions are hashes of words without endings.';

comment on column pathmend.indexed_pages.words is
  'Distinct words and codes of the content. With path_words, what this page adds to the vocabulary.';

comment on column pathmend.passages.ordinal is 'From 0; -1 is the page''s beginning, once more by itself.';
