-- Companies own projects; projects own experiments, hypotheses and goals.
-- Moments are integer microseconds in UTC. Ids are never used again.
-- Text columns that hold JSON say so; they hold the published shape.

CREATE TABLE company (
    company_id {id},
    name       TEXT NOT NULL,
    created_at {int} NOT NULL,
    UNIQUE (name)
) {strict};

CREATE TABLE project (
    project_id  {id},
    company_id  {int} NOT NULL REFERENCES company (company_id),
    -- Identifies the project in paths and pages. Not a secret, but not to be guessed.
    project_key TEXT NOT NULL,
    name        TEXT NOT NULL,
    created_at  {int} NOT NULL,
    -- Counts changes to the project's hypotheses, in the order of their commits.
    backlog_seq {int} NOT NULL,
    -- How many hypotheses there are, and how many of them are archived: each
    -- change of one counts here anyway, and a list tells its total at once.
    hypotheses  {int} NOT NULL,
    archived    {int} NOT NULL,
    UNIQUE (project_key),
    UNIQUE (company_id, name)
) {strict};

CREATE TABLE api_key (
    -- The part of the key that is no secret: 8 characters.
    key_id       TEXT NOT NULL PRIMARY KEY,
    company_id   {int} NOT NULL REFERENCES company (company_id),
    name         TEXT NOT NULL,
    -- HMAC-SHA-256 of the whole key under the pepper, which is not in the database.
    mac          {blob} NOT NULL,
    -- Words separated by commas: read,write,code,evaluate,admin.
    scopes       TEXT NOT NULL,
    -- 1 when the key is limited to the projects in api_key_project.
    limited      {int} NOT NULL,
    created_at   {int} NOT NULL,
    expires_at   {int},
    revoked_at   {int},
    -- Written at most once a minute.
    last_used_at {int}
) {strict};

CREATE INDEX api_key_company ON api_key (company_id);

CREATE TABLE api_key_project (
    key_id     TEXT NOT NULL REFERENCES api_key (key_id),
    project_id {int} NOT NULL REFERENCES project (project_id),
    PRIMARY KEY (key_id, project_id)
) {strict};

CREATE TABLE hypothesis (
    hypothesis_id {id},
    project_id    {int} NOT NULL REFERENCES project (project_id),
    observation   TEXT,
    problem       TEXT,
    solution      TEXT,
    confidence    {int},
    importance    {int},
    difficulty    {int},
    link          TEXT,
    archived      {int} NOT NULL,
    created_at    {int} NOT NULL,
    updated_at    {int} NOT NULL,
    revision      {int} NOT NULL,
    -- The project's backlog_seq at the last change: what a reader that knows
    -- everything up to a number has to read again.
    seq           {int} NOT NULL
) {strict};

CREATE INDEX hypothesis_backlog ON hypothesis (project_id, archived, updated_at, hypothesis_id);
CREATE INDEX hypothesis_all ON hypothesis (project_id, updated_at, hypothesis_id);
CREATE INDEX hypothesis_seq ON hypothesis (project_id, seq);

CREATE TABLE goal (
    goal_id     {id},
    project_id  {int} NOT NULL REFERENCES project (project_id),
    goal_key    TEXT NOT NULL,
    name        TEXT NOT NULL,
    goal_type   TEXT NOT NULL,
    -- JSON: text, or a number where the type measures something.
    goal_value  TEXT NOT NULL,
    purpose     TEXT NOT NULL,
    element_url TEXT,
    window_days {int},
    min_count   {int} NOT NULL,
    cap         {real},
    created_at  {int} NOT NULL,
    revision    {int} NOT NULL,
    -- A deleted goal keeps its key, which is never used again.
    deleted_at  {int},
    UNIQUE (project_id, goal_key)
) {strict};

CREATE TABLE experiment (
    experiment_id     {id},
    project_id        {int} NOT NULL REFERENCES project (project_id),
    -- The project's company, here so that a company's list is one index.
    company_id        {int} NOT NULL REFERENCES company (company_id),
    experiment_key    TEXT NOT NULL,
    test_type         TEXT NOT NULL,
    name              TEXT NOT NULL,
    url               TEXT NOT NULL,
    variants_data_key TEXT NOT NULL,
    control_nickname  TEXT NOT NULL,
    control_js        TEXT NOT NULL,
    control_css       TEXT NOT NULL,
    custom_js         TEXT NOT NULL,
    custom_css        TEXT NOT NULL,
    configuration     TEXT NOT NULL, -- JSON object
    targeting         TEXT NOT NULL, -- JSON object
    tags              TEXT NOT NULL, -- JSON array of text
    plan              TEXT NOT NULL, -- JSON object
    builtin_metrics   TEXT NOT NULL, -- JSON array of text
    event_metrics     TEXT NOT NULL, -- JSON array of text
    hypothesis_id     {int} REFERENCES hypothesis (hypothesis_id),
    -- draft, live, inactive
    status            TEXT NOT NULL,
    -- Set while live.
    started_at        {int},
    -- Set while concluded.
    concluded_at      {int},
    outcome           TEXT,
    conclusion_note   TEXT,
    -- never, stopped, winner
    serving           TEXT NOT NULL,
    serving_arm       {int},
    serving_rollout   {int},
    -- Number of the last epoch; 0 before the first start.
    epoch             {int} NOT NULL,
    revision          {int} NOT NULL,
    created_at        {int} NOT NULL,
    updated_at        {int} NOT NULL,
    deleted_at        {int}
) {strict};

-- Named as an automatic constraint would be: a deleted experiment's key is free again.
CREATE UNIQUE INDEX experiment_project_id_experiment_key_key
    ON experiment (project_id, experiment_key) WHERE deleted_at IS NULL;
CREATE INDEX experiment_company ON experiment (company_id, created_at, experiment_id) WHERE deleted_at IS NULL;
CREATE INDEX experiment_hypothesis ON experiment (hypothesis_id);

-- Treatments; number 1 is "Variant 1". The control is in the experiment's row.
CREATE TABLE variant (
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    number        {int} NOT NULL,
    nickname      TEXT NOT NULL,
    custom_js     TEXT NOT NULL,
    custom_css    TEXT NOT NULL,
    changes       TEXT NOT NULL, -- JSON array of objects
    audience      TEXT,          -- JSON object, personalizations only
    PRIMARY KEY (experiment_id, number)
) {strict};

-- The goals that an experiment reports, in order; the primary one has role 'primary'.
CREATE TABLE experiment_goal (
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    role          TEXT NOT NULL,
    position      {int} NOT NULL,
    goal_id       {int} NOT NULL REFERENCES goal (goal_id),
    PRIMARY KEY (experiment_id, role, position)
) {strict};

CREATE INDEX experiment_goal_goal ON experiment_goal (goal_id);

-- Periods in which assignment did not change; each lasts until the next.
CREATE TABLE epoch (
    experiment_id      {int} NOT NULL REFERENCES experiment (experiment_id),
    epoch              {int} NOT NULL,
    started_at         {int} NOT NULL,
    reasons            TEXT NOT NULL, -- JSON array of text
    traffic_allocation {int} NOT NULL,
    weights            TEXT NOT NULL, -- JSON array of hundredths of a percent, control first
    PRIMARY KEY (experiment_id, epoch)
) {strict};

-- Every change, with the values that the changed fields had before it: deleted
-- code is gone from every read of the interface, but can be restored from here.
CREATE TABLE experiment_history (
    experiment_id {int} NOT NULL REFERENCES experiment (experiment_id),
    revision      {int} NOT NULL,
    at            {int} NOT NULL,
    -- The key that did it, or the dashboard's user.
    actor         TEXT NOT NULL,
    action        TEXT NOT NULL,
    before        TEXT NOT NULL, -- JSON object
    PRIMARY KEY (experiment_id, revision)
) {strict};

-- First answers of requests that carried an Idempotency-Key, kept for a day.
CREATE TABLE idempotency (
    project_id      {int} NOT NULL REFERENCES project (project_id),
    operation       TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    -- SHA-256 of the body.
    fingerprint     {blob} NOT NULL,
    response        TEXT NOT NULL, -- JSON
    created_at      {int} NOT NULL,
    PRIMARY KEY (project_id, operation, idempotency_key)
) {strict};

CREATE INDEX idempotency_age ON idempotency (created_at);

-- What holds for the whole database, such as the fingerprint of the pepper.
CREATE TABLE setting (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) {strict};
