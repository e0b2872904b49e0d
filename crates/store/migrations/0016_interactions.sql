-- Pairs of experiments of which one was found to change the effect of the other, with the numbers of the look that found it.
CREATE TABLE interaction (
    -- Whose metric is moved, and by which experiment.
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    other_id      {int} NOT NULL REFERENCES experiment (experiment_id),
    -- The metric: the primary goal at that time.
    goal_key      TEXT NOT NULL,
    other_name    TEXT NOT NULL,
    -- The arms, 1 for Variant 1.
    arm           {int} NOT NULL,
    other_arm     {int} NOT NULL,
    -- By how much the arm's effect is more where the other arm was met, and the interval of that.
    difference    {real} NOT NULL,
    lower         {real} NOT NULL,
    upper         {real} NOT NULL,
    p_value       {real} NOT NULL,
    visitors      {int} NOT NULL,
    -- Windows that ended later were open, and the events up to here went in: [{"id": …, "position": …}].
    looked_at     {int} NOT NULL,
    logs          TEXT NOT NULL,
    -- 1 when the two are in one exclusion group by now, and share no further visitor.
    is_separated  {int} NOT NULL,
    PRIMARY KEY (experiment_id, other_id)
) {strict};

-- The last look at the pairs of each project.
CREATE TABLE interaction_look (
    project_id {int} NOT NULL PRIMARY KEY REFERENCES project (project_id),
    -- Which night, counted from 1970.
    night      {int} NOT NULL,
    ended_at   {int} NOT NULL,
    -- Pairs that were looked at, and those that were left out as there were too many.
    pairs      {int} NOT NULL,
    left_out   {int} NOT NULL
) {strict};
