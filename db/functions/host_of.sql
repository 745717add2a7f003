-- The host of a url in small letters, without its port; null if the text is no http url. The common case needs no regular
-- expression: those are for schemes in capitals, and for urls with a user's name.
create or replace function pathmend.host_of(p_url text) returns text
language sql immutable parallel safe as $$
  select case when not (starts_with(p_url, 'https://') or starts_with(p_url, 'http://') or p_url ~* '^https?://')
                   or split_part(p_url, '/', 3) = '' then null
              when strpos(p_url, '@') = 0 then lower(split_part(split_part(split_part(p_url, '/', 3), '?', 1), ':', 1))
              else substring(lower(p_url) from '^https?://(?:[^/?#@]*@)?([^/?#:]+)') end
$$;
