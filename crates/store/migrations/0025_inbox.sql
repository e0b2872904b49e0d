-- What people are told: who watches which experiment, what waits for whom, and who is mentioned in comments.

-- A person who watches an experiment, or has stopped to.
CREATE TABLE watch (
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    person_id     {int} NOT NULL REFERENCES person (person_id),
    -- 0 when the person has stopped: only the person's own wish makes them watch again.
    watching      {int} NOT NULL,
    PRIMARY KEY (experiment_id, person_id)
) {strict};

CREATE INDEX watch_person ON watch (person_id);

-- Something that one person is told, written in the transaction in which it happened.
CREATE TABLE inbox_entry (
    entry_id    {id},
    person_id   {int} NOT NULL REFERENCES person (person_id),
    project_id  {int} NOT NULL REFERENCES project (project_id),
    -- experiment or hypothesis
    kind        {text} NOT NULL,
    object_id   {int} NOT NULL,
    -- What the thing was called then.
    name        TEXT NOT NULL,
    event       TEXT NOT NULL,
    at          {int} NOT NULL,
    -- Who did it, as history has them.
    actor       TEXT NOT NULL,
    sentence    TEXT NOT NULL,
    -- The beginning of what somebody wrote, or null.
    excerpt     TEXT,
    comment_id  {int},
    proposal_id {int},
    is_read     {int} NOT NULL
) {strict};

CREATE INDEX inbox_entry_person ON inbox_entry (person_id, is_read, entry_id);
CREATE INDEX inbox_entry_proposal ON inbox_entry (proposal_id) WHERE proposal_id IS NOT NULL;

-- Whom a comment mentions.
CREATE TABLE comment_mention (
    comment_id {int} NOT NULL REFERENCES comment (comment_id),
    person_id  {int} NOT NULL REFERENCES person (person_id),
    -- The name of the person then, by which the text calls them.
    name       TEXT NOT NULL,
    PRIMARY KEY (comment_id, person_id)
) {strict};

-- Those who made experiments and commented on them watch them.
INSERT INTO watch (experiment_id, person_id, watching)
    SELECT e.experiment_id, e.owner_id, 1 FROM experiment e JOIN person p ON p.person_id = e.owner_id
    WHERE e.deleted_at IS NULL AND p.deleted_at IS NULL;
INSERT INTO watch (experiment_id, person_id, watching)
    SELECT DISTINCT e.experiment_id, p.person_id, 1 FROM comment c
    JOIN experiment e ON e.experiment_id = c.object_id AND e.deleted_at IS NULL
    JOIN person p ON p.deleted_at IS NULL AND c.actor = 'person:' || CAST(p.person_id AS TEXT)
    WHERE c.kind = 'experiment'
    ON CONFLICT (experiment_id, person_id) DO NOTHING;
