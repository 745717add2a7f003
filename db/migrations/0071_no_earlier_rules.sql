-- Every rule is a row of pathmend.rules. The tables that held rules before it, and what copied their rows, go.

drop trigger if exists keep_rule on pathmend.moves;
drop table pathmend.waiting_redirects, pathmend.gone_paths, pathmend.ignored_paths, pathmend.wildcard_redirects;
drop function pathmend.keep_earlier_rule(), pathmend.earlier_rules();
