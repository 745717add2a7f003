-- A parameter of the query string of a path or url, decoded; null if it is absent or empty. What is not UTF-8 stays encoded.
create or replace function pathmend.parameter_of(p_path text, p_name text) returns text
language plpgsql immutable parallel safe as $$
declare
  v_text text := replace(substring(split_part(p_path, '#', 1) from '[?&]' || p_name || '=([^&]*)'), '+', ' ');
begin
  if v_text like '%\%%' and v_text ~* (
       '^(?:[^%]|%0[1-9a-f]|%[1-7][0-9a-f]|%c[2-9a-f]%[89ab][0-9a-f]|%d[0-9a-f]%[89ab][0-9a-f]'
       '|%e0%[ab][0-9a-f]%[89ab][0-9a-f]|%e[1-9a-cef]%[89ab][0-9a-f]%[89ab][0-9a-f]|%ed%[89][0-9a-f]%[89ab][0-9a-f]'
       '|%f0%[9ab][0-9a-f](?:%[89ab][0-9a-f]){2}|%f[1-3](?:%[89ab][0-9a-f]){3}|%f4%8[0-9a-f](?:%[89ab][0-9a-f]){2})*$') then
    v_text := (
      select convert_from(string_agg(case when m[1] like '\%%' then decode(substr(m[1], 2), 'hex') else convert_to(m[1], 'UTF8') end, ''
                                     order by place), 'UTF8')
        from regexp_matches(v_text, '%[0-9a-f]{2}|[^%]+', 'gi') with ordinality as r (m, place));
  end if;
  return nullif(v_text, '');
end $$;
