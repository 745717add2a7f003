-- The host of a url in small letters, without its port; null if the text is no http url.
create or replace function pathmend.host_of(p_url text) returns text
language sql immutable parallel safe as $$
  select substring(lower(p_url) from '^https?://(?:[^/?#@]*@)?([^/?#:]+)')
$$;
