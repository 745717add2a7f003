-- The language that one of the first two folders of a path names: `pl` of /pl-pl/docs; null if none does. Like languageOf in
-- src/text/paths/sanitize-path.ts: a test compares the two. One expression, so that views call no function for each row.
create or replace function pathmend.language_of(p_path text) returns text
language sql immutable parallel safe as $$
  select lower(substring(
    substring(p_path from '(?i)^(?:[a-z]+://[^/]*)??/*?(?:[^/]+/+(?=[^/]+/+[^/]))??('
      '(?:a[frz]|b[gns]|c[asy]|d[ae]|e[lnstu]|f[air]|g[alu]|h[eiuy]|it|ja|k[akmnoy]|l[tv]|m[klnrt]'
      '|n[beln]|p[lst]|r[ou]|s[iklqrvw]|t[aehlr]|u[krz]|vi|z[hu]|fil)'
      '|(?:a[fmrz]|b[egns]|c[asy]|d[ae]|e[lnstu]|f[air]|g[alu]|h[eiruy]|i[dst]|ja|k[akmnoy]|l[otv]'
      '|m[klnrsty]|n[belno]|p[alst]|r[ou]|s[ikloqrvw]|t[aehlr]|u[krz]|vi|z[hu]|fil)(?=[-_])(?:[-_](?:hans|hant|latn|cyrl|arab))?'
      '(?:[-_](?:a[eflmrtuz]|b[adeghory]|c[ahlnoryz]|d[ekoz]|e[cegs]|f[ir]|g[bert]|h[knru]|i[delnqrst]'
      '|j[op]|k[ehrwz]|l[abktuvy]|m[adekmtxy]|n[gilopz]|om|p[aehklrty]|qa|r[osu]|s[aegikvy]|t[hnrw]'
      '|u[agksyz]|v[en]|ye|z[aw]|419))?'
      ')(?:/|$)'
    ) from '^[A-Za-z]+'))
$$;
