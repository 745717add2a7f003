{{ config(materialized='materialized_view') }}
select project, date_trunc('month', week)::date as month, sum(people) as people, sum(recovered) as recovered
  from {{ ref('recovery_by_week') }}
 group by 1, 2
