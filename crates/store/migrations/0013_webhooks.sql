-- Addresses of other systems that are told what happens in a project.
CREATE TABLE webhook (
    webhook_id  {id},
    project_id  {int} NOT NULL REFERENCES project (project_id),
    url         TEXT NOT NULL,
    description TEXT NOT NULL,
    -- The event types that it gets, as a JSON array.
    events      TEXT NOT NULL,
    created_at  {int} NOT NULL,
    -- When the first attempt failed after the last one that succeeded. Null: the last attempt succeeded.
    failing_since {int},
    -- When and why it was switched off. Null: it is on.
    disabled_at     {int},
    disabled_reason TEXT
) {strict};

CREATE INDEX webhook_project ON webhook (project_id, webhook_id);

-- What its messages are signed with, encrypted with a key that is not in the database.
CREATE TABLE webhook_secret (
    secret_id  {id},
    webhook_id {int} NOT NULL REFERENCES webhook (webhook_id),
    sealed     {blob} NOT NULL,
    -- When an old secret signs no more. Null: the present one.
    expires_at {int}
) {strict};

CREATE INDEX webhook_secret_webhook ON webhook_secret (webhook_id);

-- What happened, written in the transaction in which it happened, if a webhook wants to know.
CREATE TABLE outbox_event (
    event_id   {id},
    project_id {int} NOT NULL REFERENCES project (project_id),
    -- The same for every attempt at every webhook.
    message_id TEXT NOT NULL,
    event      TEXT NOT NULL,
    at         {int} NOT NULL,
    -- The message's JSON, as it is sent and signed.
    body       TEXT NOT NULL
) {strict};

CREATE INDEX outbox_event_at ON outbox_event (at);

-- An event on its way to one webhook.
CREATE TABLE webhook_delivery (
    delivery_id {id},
    webhook_id  {int} NOT NULL REFERENCES webhook (webhook_id),
    event_id    {int} NOT NULL REFERENCES outbox_event (event_id),
    -- pending, delivered or failed
    status      TEXT NOT NULL,
    attempts    {int} NOT NULL,
    first_attempt_at {int},
    -- When it is tried next. Null: not again.
    next_at     {int},
    -- What the last attempt was answered with, and why it failed.
    response_code {int},
    reason      TEXT,
    -- The node that tries it now and until when, in the database's time. Counts up with each attempt, so that one
    -- that comes too late changes nothing.
    lease        {int} NOT NULL,
    lease_holder TEXT,
    lease_until  {int}
) {strict};

CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook_id, delivery_id);
CREATE INDEX webhook_delivery_event ON webhook_delivery (event_id);
