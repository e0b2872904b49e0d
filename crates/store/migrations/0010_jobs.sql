-- What is to be done at a certain moment. The rows follow from the experiments that they are of, and are
-- written in the same transactions.
CREATE TABLE job (
    -- What is done, which also says what kind of object it is done to.
    kind       {text} NOT NULL,
    object_id  {int} NOT NULL,
    project_id {int} NOT NULL REFERENCES project (project_id),
    due_at     {int} NOT NULL,
    -- How often it was begun for this moment, and when it is tried again. Null: not tried yet.
    attempts   {int} NOT NULL,
    retry_at   {int},
    -- Why the last attempt failed.
    error      TEXT,
    -- Which term of the leader began it last.
    term       {int} NOT NULL,
    PRIMARY KEY (kind, object_id)
) {strict};

CREATE INDEX job_due ON job (due_at);

-- Which node does what time brings. Each that takes over counts the term up; what is done in an earlier one
-- is refused.
CREATE TABLE leader (
    name     TEXT NOT NULL PRIMARY KEY,
    term     {int} NOT NULL,
    node     TEXT NOT NULL,
    taken_at {int} NOT NULL
) {strict};

-- What the clock has done to an experiment, as JSON.
ALTER TABLE experiment ADD COLUMN schedule TEXT NOT NULL DEFAULT '{}';
-- Whether rules look at its results: 0 no, 1 at its visitors, 2 at its verdict too.
ALTER TABLE experiment ADD COLUMN is_watched {int} NOT NULL DEFAULT 0;
CREATE INDEX experiment_watched ON experiment (experiment_id) WHERE is_watched > 0;

-- The rule of an act of the clock, with its numbers and what they were computed from: a JSON object. Null: an act of
-- somebody else.
ALTER TABLE experiment_history ADD COLUMN detail TEXT;
