-- Deletions of the data of one visitor. They stay on record when they are done.
CREATE TABLE visitor_job (
    visitor_job_id {id},
    project_id   {int} NOT NULL REFERENCES project (project_id),
    -- HMAC-SHA-256 of the project's key and the visitor's id, under a key that follows from the pepper. The id is nowhere.
    visitor_mark {blob} NOT NULL,
    -- A UUID, which the records of the event log name.
    log_job      TEXT NOT NULL,
    requested_at {int} NOT NULL,
    -- The id of an API key, or who else asked for it.
    requested_by TEXT NOT NULL
) {strict};

CREATE INDEX visitor_job_project ON visitor_job (project_id, visitor_job_id);

-- What each node has to do for it. Each node has an event log of its own, and only the process that has the log open
-- can rewrite it, so there is no lease.
CREATE TABLE visitor_job_node (
    visitor_job_id {int} NOT NULL REFERENCES visitor_job (visitor_job_id),
    node_id        TEXT NOT NULL,
    -- pending; compacting: the events are out of the log and of results, and bytes of them remain in the warehouse's
    -- file; done
    state          TEXT NOT NULL,
    -- Percent of the log that was read in the present attempt.
    percent        {int} NOT NULL,
    attempts       {int} NOT NULL,
    -- Why the last attempt failed. Null: it did not.
    error          TEXT,
    -- Events that were deleted, over all attempts.
    events         {int} NOT NULL,
    -- Blocks that are damaged and could not be examined.
    damaged_blocks {int} NOT NULL,
    -- The last block that was examined. Events after it stay.
    examined_block {int},
    finished_at    {int},
    PRIMARY KEY (visitor_job_id, node_id)
) {strict};

CREATE INDEX visitor_job_node_state ON visitor_job_node (node_id, state);

-- Days after which the project's events are deleted from closed files of the event log. Null: when the log's own
-- retention deletes the file.
ALTER TABLE project ADD COLUMN retention_days {int};
