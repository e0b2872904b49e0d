-- People, the browsers that they are signed in with, the links with which they come in.

CREATE TABLE person (
    person_id     {id},
    company_id    {int} NOT NULL REFERENCES company (company_id),
    -- In lower case. One address is one person of one company.
    email         TEXT NOT NULL,
    name          TEXT NOT NULL,
    -- viewer, editor, admin or owner
    role          TEXT NOT NULL,
    -- 1 when limited to the projects in person_project.
    limited       {int} NOT NULL,
    -- Argon2id in the PHC form, with its parameters. Null: the person signs in otherwise.
    password      TEXT,
    -- The secret of the authenticator, encrypted with a key that is not in the database. Null: none.
    totp          {blob},
    -- The last step of 30 seconds whose code was used: a code works once.
    totp_step     {int} NOT NULL,
    -- A secret that waits for its first code.
    totp_pending  {blob},
    -- Subject and issuer of the OpenID provider that the person came through, once they did.
    oidc_issuer   TEXT,
    oidc_subject  TEXT,
    created_at    {int} NOT NULL,
    -- Written at most once a minute.
    last_seen_at  {int},
    -- A person who was removed keeps the row: history tells their name.
    deleted_at    {int}
) {strict};

CREATE UNIQUE INDEX person_email_key ON person (email) WHERE deleted_at IS NULL;
CREATE INDEX person_company ON person (company_id, person_id);

CREATE TABLE person_project (
    person_id  {int} NOT NULL REFERENCES person (person_id),
    project_id {int} NOT NULL REFERENCES project (project_id),
    role       TEXT NOT NULL,
    PRIMARY KEY (person_id, project_id)
) {strict};

-- Codes for when the authenticator is lost. Each is deleted when it is used.
CREATE TABLE recovery_code (
    person_id {int} NOT NULL REFERENCES person (person_id),
    mac       {blob} NOT NULL,
    PRIMARY KEY (person_id, mac)
) {strict};

CREATE TABLE session (
    session_id   {id},
    person_id    {int} NOT NULL REFERENCES person (person_id),
    -- HMAC-SHA-256 of the cookie's value under a key that is not in the database.
    mac          {blob} NOT NULL,
    -- password, link, oidc or passkey
    method       TEXT NOT NULL,
    user_agent   TEXT NOT NULL,
    network      TEXT NOT NULL,
    created_at   {int} NOT NULL,
    -- Written at most once a minute.
    last_seen_at {int} NOT NULL,
    UNIQUE (mac)
) {strict};

CREATE INDEX session_person ON session (person_id, session_id);
CREATE INDEX session_age ON session (last_seen_at);

CREATE TABLE invitation (
    invitation_id {id},
    -- HMAC-SHA-256 of the link's token.
    mac           {blob} NOT NULL,
    -- first_owner, invitation or reset
    purpose       TEXT NOT NULL,
    -- Null for the first owner of a database without a company.
    company_id    {int} REFERENCES company (company_id),
    -- Who gets a new password.
    person_id     {int} REFERENCES person (person_id),
    email         TEXT,
    role          TEXT NOT NULL,
    -- JSON array of [project_id, role]; null for every project.
    projects      TEXT,
    -- Who invited: a name.
    invited_by    TEXT NOT NULL,
    created_at    {int} NOT NULL,
    expires_at    {int} NOT NULL,
    UNIQUE (mac)
) {strict};

CREATE INDEX invitation_company ON invitation (company_id);
CREATE INDEX invitation_age ON invitation (expires_at);

-- What was done in a company. Rows are only ever added; each has the hash of the one before in its own.
CREATE TABLE audit (
    company_id  {int} NOT NULL REFERENCES company (company_id),
    -- Counts from 1, without gaps.
    entry       {int} NOT NULL,
    at          {int} NOT NULL,
    -- person, key or system
    actor_kind  TEXT NOT NULL,
    actor_id    TEXT NOT NULL,
    -- The name that the actor had then.
    actor_name  TEXT NOT NULL,
    action      TEXT NOT NULL,
    object_kind TEXT NOT NULL,
    object_id   TEXT NOT NULL,
    object_name TEXT NOT NULL,
    project_id  {int} REFERENCES project (project_id),
    -- JSON objects with the fields that changed; null where the thing was not there.
    before      TEXT,
    after       TEXT,
    -- SHA-256 of the row before and this one.
    hash        {blob} NOT NULL,
    PRIMARY KEY (company_id, entry)
) {strict};

CREATE INDEX audit_actor ON audit (company_id, actor_id, entry);
CREATE INDEX audit_object ON audit (company_id, object_kind, object_id, entry);
CREATE INDEX audit_project ON audit (company_id, project_id, entry);

-- Who made the experiment. Null: a key or the server.
ALTER TABLE experiment ADD COLUMN owner_id {int} REFERENCES person (person_id);

-- Whether editors may change code, and what a second person has to approve.
ALTER TABLE project ADD COLUMN editors_have_code {int} NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN approve_code {int} NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN approve_live {int} NOT NULL DEFAULT 0;

-- What is kept with a conclusion; deleted when the experiment is reopened.
CREATE TABLE conclusion (
    experiment_id   {int} NOT NULL PRIMARY KEY REFERENCES experiment (experiment_id),
    learned         TEXT NOT NULL,
    override_reason TEXT,
    -- Who concluded it: a name.
    concluded_by    TEXT NOT NULL,
    -- JSON: the verdict on each variant by its id, and what it was computed from. Null where there was no result.
    verdicts        TEXT,
    manifest        TEXT
) {strict};

-- The words of outcomes are those of the interface.
UPDATE experiment SET outcome = CASE outcome WHEN 'win' THEN 'won' WHEN 'loss' THEN 'lost' ELSE 'inconclusive' END
    WHERE outcome IS NOT NULL;

-- Keys of people's devices with which they sign in.
CREATE TABLE passkey (
    passkey_id   {id},
    person_id    {int} NOT NULL REFERENCES person (person_id),
    name         TEXT NOT NULL,
    -- What the device knows it by.
    credential   {blob} NOT NULL,
    -- COSE.
    public_key   {blob} NOT NULL,
    created_at   {int} NOT NULL,
    -- 0 where the device does not count.
    use_count    {int} NOT NULL,
    last_used_at {int},
    UNIQUE (credential)
) {strict};

CREATE INDEX passkey_person ON passkey (person_id);
