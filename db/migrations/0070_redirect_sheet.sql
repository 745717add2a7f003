-- Old urls that a person brings, each with the page that it probably became, stand beside what pathmend learned. The release
-- before takes them for proposals that somebody has rejected: it neither proposes, confirms nor drops them.

alter table pathmend.rule_proposals drop constraint rule_proposals__source;
alter table pathmend.rule_proposals add constraint rule_proposals__source
  check (source in ('sections', 'redirects', 'clicks', 'map'));
comment on column pathmend.rule_proposals.source is
  'What proposes it: sections that moved, redirects, clicks; map: a sheet of old urls. Of such a row the rule_key is made of the rule''s, support is 1 once it is looked up, requests is how often the sheet says it was asked for, evidence holds one object with its decision, and rejected_at is set: it is no proposal of pathmend.';
