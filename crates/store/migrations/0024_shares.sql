-- Links with which somebody reads the result of one experiment without signing in.
CREATE TABLE share (
    share_id      {id},
    project_id    {int} NOT NULL REFERENCES project (project_id),
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    -- HMAC of the token, which is not stored.
    mac           {blob} NOT NULL,
    -- Which visitors the result is about: JSON.
    query         TEXT NOT NULL,
    created_at    {int} NOT NULL,
    -- As history has them.
    created_by    TEXT NOT NULL,
    -- From when on it is refused.
    expires_at    {int} NOT NULL,
    revoked_at    {int},
    revoked_by    TEXT,
    -- The hour in which it was last opened. Null: never.
    opened_at     {int},
    UNIQUE (mac)
) {strict};

CREATE INDEX share_experiment ON share (experiment_id, share_id);
