-- What was planned when an experiment first started. Written once, with the change that starts it; an experiment that first
-- started before this table was there has no row.
CREATE TABLE plan_lock (
    experiment_id {int} NOT NULL PRIMARY KEY REFERENCES experiment (experiment_id),
    locked_at     {int} NOT NULL,
    -- The plan in canonical JSON (RFC 8785).
    content       TEXT NOT NULL,
    -- SHA-256 of content.
    hash          {blob} NOT NULL
) {strict};
