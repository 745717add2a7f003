-- The language that one of the first two folders of a path names: `pl` of /pl-pl/docs; null if none does. The last part names a page,
-- unless it is the only one; codes that are more likely a word need a region. Like languageOf in
-- src/text/paths/sanitize-path.ts: a test compares the two.
create or replace function pathmend.language_of(p_path text) returns text
language plpgsql immutable parallel safe as $$
declare
  v_path text := trim(both '/' from p_path);
  v_name text;
begin
  for v_place in 1..2 loop
    v_name := split_part(v_path, '/', v_place);
    if v_name ~* (
         '^(?:a[fmrz]|b[egns]|c[asy]|d[ae]|e[lnstu]|f[air]|g[alu]|h[eiruy]|i[dst]|ja|k[akmnoy]|l[otv]'
         '|m[klnrsty]|n[belno]|p[alst]|r[ou]|s[ikloqrvw]|t[aehlr]|u[krz]|vi|z[hu]|fil)(?:[-_](?:hans|hant|latn|cyrl|arab))?'
         '(?:[-_](?:a[eflmrtuz]|b[adeghory]|c[ahlnoryz]|d[ekoz]|e[cegs]|f[ir]|g[bert]|h[knru]|i[delnqrst]'
         '|j[op]|k[ehrwz]|l[abktuvy]|m[adekmtxy]|n[gilopz]|om|p[aehklrty]|qa|r[osu]|s[aegikvy]|t[hnrw]'
         '|u[agksyz]|v[en]|ye|z[aw]|419))?$')
       and lower(v_name) not in ('am', 'be', 'hr', 'id', 'is', 'lo', 'ms', 'my', 'no', 'pa', 'so')
       and (v_place = 1 or split_part(v_path, '/', 3) <> '') then
      return lower(substring(v_name from '^[A-Za-z]+'));
    end if;
  end loop;
  return null;
end $$;
