-- Exclusion groups, whose experiments share no visitor, and holdouts, whose visitors meet no experiment.
CREATE TABLE exclusion_group (
    group_id   {id},
    project_id {int} NOT NULL REFERENCES project (project_id),
    name       TEXT NOT NULL,
    -- exclusion or holdout
    kind       TEXT NOT NULL,
    -- How much of its line a holdout has, in hundredths of a percent.
    held_out   {int},
    -- 1 when a holdout is of every experiment of the project.
    of_project {int} NOT NULL,
    created_at {int} NOT NULL,
    -- A deleted group keeps its row, so that its id, with which visitors are hashed, is never used again.
    deleted_at {int}
) {strict};

CREATE INDEX exclusion_group_project ON exclusion_group (project_id, group_id) WHERE deleted_at IS NULL;

-- The experiments that a group names. Those of an exclusion group have a slot of its line each, in hundredths of a percent.
CREATE TABLE exclusion_group_member (
    group_id      {int} NOT NULL REFERENCES exclusion_group (group_id),
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    slot_from     {int} NOT NULL,
    slot_to       {int} NOT NULL,
    PRIMARY KEY (group_id, experiment_id)
) {strict};

CREATE INDEX exclusion_group_member_experiment ON exclusion_group_member (experiment_id);
