select project, date_trunc('week', day)::date as week, sum(hits)::bigint as people, sum(recovered)::bigint as recovered
  from analytics.recovery_by_path
 group by 1, 2
