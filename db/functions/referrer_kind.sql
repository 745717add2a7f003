-- What a referrer is by its host: search_engine, social or other. Most hosts have none of the names before their top-level
-- domain, which is ten times as fast to see as that the expressions do not match.
create or replace function pathmend.referrer_kind(p_host text) returns text
language sql immutable parallel safe as $$
  select case
    when split_part(p_host, '.', -2) not in (
      'google', 'bing', 'yahoo', 'yandex', 'duckduckgo', 'baidu', 'qwant', 'startpage', 'kagi', 'naver', 'sogou', 'so', 'ask', 'aol', 'mojeek',
      'swisscows', 'presearch', 'brave', 'ecosia', 'metager', 'seznam', 'ya', 'daum', 'facebook', 'fb', 'instagram', 'threads', 'twitter', 'x', 't',
      'linkedin', 'lnkd', 'reddit', 'redd', 'pinterest', 'pin', 'youtube', 'youtu', 'tiktok', 'bsky', 'mastodon', 'vk', 'ok', 'weibo', 'tumblr',
      'quora', 'whatsapp', 'wa', 'telegram', 'discord', 'snapchat', 'xing', 'ycombinator', 'lobste')
      and split_part(p_host, '.', -3) not in ('google', 'bing', 'yahoo', 'yandex', 'pinterest') then 'other'
    when p_host ~ ('^(?:(?:www|m|search|[a-z]{2}|[a-z]{2}\.search|news|images)\.)?(?:(?:google|bing|yahoo|yandex)(?:\.[a-z]{2,3}){1,2}'
                   '|(?:duckduckgo|baidu|qwant|startpage|kagi|naver|sogou|so|ask|aol|mojeek|swisscows|presearch)\.com|search\.brave\.com'
                   '|ecosia\.org|metager\.(?:de|org)|seznam\.cz|ya\.ru|daum\.net)$') then 'search_engine'
    when p_host ~ ('(?:^|\.)(?:facebook\.com|fb\.(?:com|me)|instagram\.com|threads\.(?:net|com)|twitter\.com|x\.com|t\.co|linkedin\.com|lnkd\.in'
                   '|reddit\.com|redd\.it|pinterest(?:\.[a-z]{2,3}){1,2}|pin\.it|youtube\.com|youtu\.be|tiktok\.com|bsky\.app|mastodon\.[a-z]+|vk\.com|ok\.ru'
                   '|weibo\.c(?:om|n)|tumblr\.com|quora\.com|whatsapp\.com|wa\.me|telegram\.org|t\.me|discord\.com|snapchat\.com|xing\.com'
                   '|news\.ycombinator\.com|lobste\.rs)$') then 'social'
    else 'other' end
$$;
