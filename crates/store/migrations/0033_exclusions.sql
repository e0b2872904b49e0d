-- Exposures that a project does not count in results.
CREATE TABLE exclusion (
    exclusion_id {id},
    project_id   {int} NOT NULL REFERENCES project (project_id),
    -- A word of ExclusionKind.
    kind         TEXT NOT NULL,
    -- Null: everybody in the period.
    value        TEXT,
    -- The period; null: no limit.
    from_at      {int},
    until_at     {int},
    reason       TEXT NOT NULL,
    created_at   {int} NOT NULL,
    -- As history has them.
    created_by   TEXT NOT NULL
) {strict};

CREATE INDEX exclusion_project ON exclusion (project_id, exclusion_id);
