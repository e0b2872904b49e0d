-- The tables of a warehouse. Everything is derived from the event log and can be rebuilt, so there are no migrations. A change
-- of a table, or of what is written into one, increments SCHEMA in mod.rs, and every warehouse is rebuilt.
--
-- Names are stored as 64-bit hashes: project keys, visitors, sessions, order ids, event ids, URLs. The visitor's own id is in
-- `visitors` only. Times are microseconds since 1970-01-01 UTC. `log` is the number of the row's log, see the table `logs`,
-- and `seq` the block: rows are deleted when retention deletes their block. The rows of one load are sorted by the columns that
-- questions filter by, so that DuckDB skips most row groups by their minima and maxima. Nothing is declared unique: the log
-- may contain an event twice, and questions deduplicate, which costs much less than an index.

-- Events, without those of bots.
CREATE TABLE events (
    project  UBIGINT NOT NULL,
    visitor  UBIGINT NOT NULL,
    "at"     BIGINT NOT NULL,
    id       UBIGINT NOT NULL,
    kind     UTINYINT NOT NULL, -- the numbers are in row.rs
    name     VARCHAR,           -- of a custom event or an order; else the trigger; else where a link leads
    url      UBIGINT,           -- of the page
    amount   BIGINT,            -- in ten-thousandths: what an order is worth, percent scrolled, seconds spent; 1 of a submit that was prevented; how many events a page has lost
    unit     UBIGINT,           -- which order, or which refund where it has a number of its own
    refund_of UBIGINT,          -- which order a refund is for
    currency VARCHAR,
    session  UBIGINT,
    vouched  BOOLEAN NOT NULL,  -- sent with a key
    log      UTINYINT NOT NULL,
    seq      BIGINT NOT NULL
);

-- Exposures, with the visitor's attributes at that time.
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

-- Reports of health events about a page with a variant. Bit n of `asked` is 1 if change n applies to the page, bit n of `found`
-- is 1 if it matched an element. Measures are NULL where the page did not tell them, and cut at their caps. Bots are excluded.
CREATE TABLE health (
    project UBIGINT NOT NULL,
    test    BIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    variant UTINYINT NOT NULL,
    "at"    BIGINT NOT NULL,
    id      UBIGINT NOT NULL,
    vouched BOOLEAN NOT NULL, -- sent with a key
    asked   BIGINT NOT NULL,
    found   BIGINT NOT NULL,
    failed  BOOLEAN NOT NULL, -- code threw, or a selector was not valid
    late    BOOLEAN NOT NULL, -- the variant came too late to be shown
    hidden  BIGINT,           -- milliseconds for which elements were hidden
    lcp     BIGINT,           -- milliseconds
    cls     BIGINT,           -- in ten-thousandths
    inp     BIGINT,           -- milliseconds
    error   VARCHAR,          -- what the first error says; NULL unless `failed`, as the next two
    page    VARCHAR,          -- where: the URL without query and fragment
    browser VARCHAR,
    log     UTINYINT NOT NULL,
    seq     BIGINT NOT NULL
);

-- Attributes of visitors. Many visitors share a profile, so a question carries one number per visitor and joins this table
-- after counting. The number is the hash of the other columns; a row may exist twice.
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

-- URLs of page views, cut to 2,048 bytes before hashing. A row may exist twice.
CREATE TABLE urls (
    project UBIGINT NOT NULL,
    url     UBIGINT NOT NULL,
    text    VARCHAR NOT NULL
);

-- The ids of visitors with events, with which holdouts place them. A row may exist twice.
CREATE TABLE visitors (
    project UBIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    text    VARCHAR NOT NULL
);

-- Ranges of blocks before the watermark whose events could not be read: the blocks were damaged or missing, or events of
-- one project in them were not understood. `last` is less than `first` if no block is lost, but the hash chain is broken.
-- A row may exist twice.
CREATE TABLE damage (
    project UBIGINT, -- NULL: of any
    log     UTINYINT NOT NULL,
    first   BIGINT NOT NULL,
    last    BIGINT NOT NULL
);

-- What was taken out of blocks before the watermark after they were written: the records of the log's rewrites. A row may
-- exist twice.
CREATE TABLE rewritten (
    log      UTINYINT NOT NULL,
    seq      BIGINT NOT NULL,
    nth      BIGINT NOT NULL,  -- which rewrite of the block, from 1
    project  UBIGINT NOT NULL,
    removed  UBIGINT NOT NULL, -- number of events
    "at"     BIGINT NOT NULL,
    expired  BOOLEAN NOT NULL, -- by retention; otherwise the data of a visitor was deleted
    in_place BOOLEAN NOT NULL  -- rows of a visitor were deleted from these tables, so the file may still have their bytes
);

-- The watermark of each log: the block up to which its events are loaded. It is updated in the transaction that adds the
-- rows.
CREATE TABLE logs (
    number UTINYINT NOT NULL, -- from 1, in the order in which they came
    id     BLOB NOT NULL,     -- 16 bytes
    seq    BIGINT NOT NULL,
    hash   BLOB               -- of that block; NULL when it could not be read
);

-- One row: the schema version.
CREATE TABLE version (
    schema INTEGER NOT NULL
);
