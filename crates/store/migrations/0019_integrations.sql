-- When an integration of an experiment was last told of an arm.
CREATE TABLE integration_success (
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    name          TEXT NOT NULL,
    at            {int} NOT NULL,
    PRIMARY KEY (experiment_id, name)
) {strict};

-- How far webhooks were told of the exposures in an event log: its id, and its last block that was counted.
CREATE TABLE exposures_told (
    log TEXT NOT NULL PRIMARY KEY,
    seq {int} NOT NULL
) {strict};

-- How many conversions webhooks were told of: by the events of one log, of one goal, in one arm.
CREATE TABLE conversions_told (
    log           TEXT NOT NULL,
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    goal_key      TEXT NOT NULL,
    variant       {int} NOT NULL,
    converted     {int} NOT NULL,
    PRIMARY KEY (experiment_id, log, goal_key, variant)
) {strict};
