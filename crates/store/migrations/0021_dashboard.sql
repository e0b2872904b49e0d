-- What the dashboard shows beside experiments, and what people add to them.

-- 1 when it was put into the archive.
ALTER TABLE experiment ADD COLUMN archived {int} NOT NULL DEFAULT 0;

-- An experiment as the overview of all of them needs it: what it is filtered and sorted by, in rows that are small where
-- experiments hold code. Written with each change of the experiment.
CREATE TABLE overview (
    experiment_id {int} NOT NULL PRIMARY KEY REFERENCES experiment (experiment_id),
    company_id    {int} NOT NULL REFERENCES company (company_id),
    project_id    {int} NOT NULL REFERENCES project (project_id),
    -- Name, key, page, labels and id, with letter case folded.
    search        {text} NOT NULL,
    -- The name, folded.
    name_folded   {text} NOT NULL,
    -- Each label between line feeds.
    labels        {text} NOT NULL,
    -- Who made it, and who changed it last, as history has them.
    owner         {text} NOT NULL,
    changed_by    {text} NOT NULL,
    change_action TEXT NOT NULL,
    changed_at    {int} NOT NULL,
    created_at    {int} NOT NULL,
    revision      {int} NOT NULL,
    archived      {int} NOT NULL,
    status        {text} NOT NULL,
    -- Empty while it is not concluded.
    outcome       {text} NOT NULL,
    -- The first start, the last end, and the end that is planned.
    started_at    {int},
    ended_at      {int},
    end_date      {int},
    -- What its result said when it was last looked at: the moment, the experiment's revision then, and the summary as
    -- JSON. Null: it was not looked at yet.
    as_of         {int},
    looked_revision {int},
    result        TEXT,
    -- Parts of the summary. An empty verdict is not known.
    verdict       {text} NOT NULL DEFAULT '',
    health        {text} NOT NULL DEFAULT 'unknown',
    visitors      {int},
    -- When as many visitors as are planned will have entered, at the rate so far.
    ready_at      {int}
) {strict};

CREATE INDEX overview_company ON overview (company_id, changed_at, experiment_id);
CREATE INDEX overview_look ON overview (as_of, experiment_id) WHERE started_at IS NOT NULL;

-- Every change of a goal or a hypothesis, with the values that the changed fields had before it.
CREATE TABLE object_history (
    -- goal or hypothesis
    kind      {text} NOT NULL,
    object_id {int} NOT NULL,
    revision  {int} NOT NULL,
    at        {int} NOT NULL,
    actor     TEXT NOT NULL,
    action    TEXT NOT NULL,
    before    TEXT NOT NULL, -- JSON object
    PRIMARY KEY (kind, object_id, revision)
) {strict};

-- What there was before changes were kept.
INSERT INTO object_history (kind, object_id, revision, at, actor, action, before)
    SELECT 'goal', goal_id, revision, created_at, 'system', 'before history', '{}' FROM goal WHERE deleted_at IS NULL;
INSERT INTO object_history (kind, object_id, revision, at, actor, action, before)
    SELECT 'hypothesis', hypothesis_id, revision, updated_at, 'system', 'before history', '{}' FROM hypothesis;

-- What people and programs say about an experiment or a hypothesis.
CREATE TABLE comment (
    comment_id {id},
    -- experiment or hypothesis
    kind       {text} NOT NULL,
    object_id  {int} NOT NULL,
    at         {int} NOT NULL,
    actor      TEXT NOT NULL,
    text       TEXT NOT NULL
) {strict};

CREATE INDEX comment_object ON comment (kind, object_id, comment_id);


-- Changes that wait for a second person.
CREATE TABLE proposal (
    proposal_id   {id},
    project_id    {int} NOT NULL REFERENCES project (project_id),
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    -- The experiment's revision for which it was made.
    base_revision {int} NOT NULL,
    -- The body that was sent: JSON, and whether objects in it are merged.
    body          TEXT NOT NULL,
    merges        {int} NOT NULL,
    note          TEXT NOT NULL,
    proposed_at   {int} NOT NULL,
    proposed_by   TEXT NOT NULL,
    -- open, approved, rejected, withdrawn
    state         {text} NOT NULL,
    decided_at    {int},
    decided_by    TEXT,
    reason        TEXT NOT NULL
) {strict};

CREATE INDEX proposal_experiment ON proposal (experiment_id, proposal_id);
CREATE INDEX proposal_project ON proposal (project_id, proposal_id);

-- What a preview of an arm found on the page: the last one of each arm.
CREATE TABLE preview_report (
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    arm           {int} NOT NULL,
    at            {int} NOT NULL,
    -- The page, without query and fragment.
    url           TEXT NOT NULL,
    -- Selectors of its changes that matched and those that did not: a JSON array of texts each.
    matched       TEXT NOT NULL,
    missing       TEXT NOT NULL,
    PRIMARY KEY (experiment_id, arm)
) {strict};

-- When the script was last fetched. Written at most once a minute. Null: that was never seen.
ALTER TABLE project ADD COLUMN script_fetched_at {int};
