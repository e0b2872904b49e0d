-- The tables of a warehouse. All is made from the event log and can be made again: there are no migrations. Whoever
-- changes a table, or what is written into one, counts SCHEMA in mod.rs up, and every warehouse is rebuilt.
--
-- Names become hashes of 64 bits: project keys, visitors, sessions, order ids, event ids, addresses. The visitor's own id
-- is in the log only. Times are microseconds since 1970, UTC. `log` is the number of the log that a row comes from, see the
-- table `logs`, and `seq` its block: rows go when the log forgets their block. The rows of one load lie sorted by what questions look for, so that most of them
-- are passed over by the bounds of their columns. Nothing is declared unique: the log may hold an
-- event twice, and the questions collapse it, for much less than an index costs.

-- What visitors did. Bots are left out.
CREATE TABLE events (
    project  UBIGINT NOT NULL,
    visitor  UBIGINT NOT NULL,
    "at"     BIGINT NOT NULL,
    id       UBIGINT NOT NULL,
    kind     UTINYINT NOT NULL, -- the numbers are in row.rs
    name     VARCHAR,           -- of a custom event or an order; else the trigger; else where a link leads
    url      UBIGINT,           -- of the page
    amount   BIGINT,            -- in ten-thousandths: what an order is worth, percent scrolled, seconds spent
    unit     UBIGINT,           -- which order, or which refund where it has a number of its own
    refund_of UBIGINT,          -- which order a refund is for
    currency VARCHAR,
    session  UBIGINT,
    vouched  BOOLEAN NOT NULL,  -- sent with a key
    log      UTINYINT NOT NULL,
    seq      BIGINT NOT NULL
);

-- Visitors who met a variant, each time that they did, and how they were then.
CREATE TABLE exposures (
    project      UBIGINT NOT NULL,
    test         BIGINT NOT NULL,
    visitor      UBIGINT NOT NULL,
    variant      UTINYINT NOT NULL,
    epoch        BIGINT,
    "at"         BIGINT NOT NULL,
    id           UBIGINT NOT NULL,
    bot          BOOLEAN NOT NULL,
    vouched      BOOLEAN NOT NULL, -- sent with a key
    session      UBIGINT,
    url          UBIGINT,
    profile      UBIGINT NOT NULL, -- what else was known of the visitor
    landing_page VARCHAR,          -- without query and fragment
    referrer     VARCHAR,          -- its host
    utm_source   VARCHAR,
    utm_medium   VARCHAR,
    utm_campaign VARCHAR,
    log          UTINYINT NOT NULL,
    seq          BIGINT NOT NULL
);

-- What health events tell of the changes of a variant, on a page where it was shown: bit n of `asked` is 1 where the
-- change at place n was for that page, and of `found` where it found there what it changes. Bots are left out.
CREATE TABLE applied (
    project UBIGINT NOT NULL,
    test    BIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    variant UTINYINT NOT NULL,
    "at"    BIGINT NOT NULL,
    id      UBIGINT NOT NULL,
    vouched BOOLEAN NOT NULL, -- sent with a key
    asked   BIGINT NOT NULL,
    found   BIGINT NOT NULL,
    log     UTINYINT NOT NULL,
    seq     BIGINT NOT NULL
);

-- What visitors were like. Few are like nobody else: a question carries one number for each visitor, and looks here once it
-- has counted. The number is the hash of all that follows it, so a row may be there twice.
CREATE TABLE profiles (
    project   UBIGINT NOT NULL,
    profile   UBIGINT NOT NULL,
    device    VARCHAR,
    browser   VARCHAR,
    os        VARCHAR,
    country   VARCHAR,
    user_type VARCHAR,         -- new or returning
    source    VARCHAR NOT NULL -- direct, search, social, email, paid or referral
);

-- The addresses of page views, cut to their first 2,048 bytes as their hashes are. A row may be there twice.
CREATE TABLE urls (
    project UBIGINT NOT NULL,
    url     UBIGINT NOT NULL,
    text    VARCHAR NOT NULL
);

-- Blocks of the log that are passed, but whose events are not here, as they could not be read: they were damaged or
-- missing, all of them, or events of one project in them were not understood. `last` is before `first` where no block is
-- lost, but the log is not as it was written. A row may be there twice.
CREATE TABLE damage (
    project UBIGINT, -- NULL: of any
    log     UTINYINT NOT NULL,
    first   BIGINT NOT NULL,
    last    BIGINT NOT NULL
);

-- The logs whose events are here: up to which block everything of each is. A row changes in the transaction that brings the
-- rows.
CREATE TABLE logs (
    number UTINYINT NOT NULL, -- from 1, in the order in which they came
    id     BLOB NOT NULL,     -- 16 bytes
    seq    BIGINT NOT NULL,
    hash   BLOB               -- of that block; NULL when it could not be read
);

-- One row: which version of these tables it is.
CREATE TABLE version (
    schema INTEGER NOT NULL
);
