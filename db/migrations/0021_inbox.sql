-- The console's inbox: missing paths by people's hits times doubt, which is 1 - the best suggestion's score.
create index missing_paths__inbox on pathmend.missing_paths
  (project_id, ((people + unknown) * (1 - coalesce(best_score, 0))) desc, path_hash desc)
  where people + unknown > 0;
