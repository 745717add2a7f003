{{ config(materialized='table') }}
select project, section, referrer_kind, min(at) as first_at, max(at) as last_at, count(*) as people
  from analytics.not_founds
 where day >= '2026-01-01' and outcome in ('suggested', 'nothing') and not is_robot
 group by 1, 2, 3
