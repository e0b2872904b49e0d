-- The servers that work on this database. Each keeps the events that it took in a
-- log of its own, so results of one lack what another took. Moments are of the
-- database's clock: nodes' clocks differ.
CREATE TABLE node (
    -- From the node's data directory, so that a restart is the same node.
    node_id      TEXT NOT NULL PRIMARY KEY,
    -- Of one run of it: two processes with copies of one data directory differ in it.
    session      TEXT NOT NULL,
    -- Where it runs, for people.
    host         TEXT NOT NULL,
    data_dir     TEXT NOT NULL,
    -- Blocks of its event log; 0 while it has taken no event.
    blocks       {int} NOT NULL,
    started_at   {int} NOT NULL, -- first start
    seen_at      {int} NOT NULL,
    -- It counts as running until then, unless it renews this.
    leased_until {int} NOT NULL
) {strict};
