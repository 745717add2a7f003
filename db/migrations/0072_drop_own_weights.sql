-- Weights are fitted for each model, and no longer for each project.

drop table pathmend.own_weights;
