-- A judge of redirects sees whether a rule led to the page, or what was learned.
comment on column pathmend.searches.results is
  'What was answered: [{page_id, url, score, by}], best first. by: rule, or learned; absent for a guess, and in rows of older releases.';
comment on table pathmend.judgements is
  'Redirects that people of the site looked at: whether the page is the right one for the path. With the score 1 a rule led there.';
comment on table pathmend.wrong_guesses is
  'Judgements that a page is wrong for a path: its score is bounded, so that it redirects nobody, unless a rule leads there.';
