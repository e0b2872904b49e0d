-- Tables of a warehouse. Everything is derived from the event log and can be rebuilt, so there are no migrations. A
-- change of a table, or of the values stored in one, increments SCHEMA in mod.rs, and every warehouse is rebuilt.
--
-- Names are stored as 64-bit hashes: project keys, visitors, sessions, order ids, event ids, URLs. The visitor's own id
-- is stored in `visitors` only. Times are microseconds since 1970-01-01 UTC. `log` is the number of the row's log, see
-- the table `logs`, and `seq` is the block: rows are deleted when retention deletes their block. The rows of one load
-- are sorted by the columns that questions filter by, so that DuckDB skips most row groups by their minima and maxima.
-- Nothing is declared unique: the log may contain an event twice. Questions deduplicate, which costs much less than an
-- index.

-- Events, excluding those of bots. `amount` is in ten-thousandths: the value of an order, percent scrolled, seconds
-- spent, or 1 for a prevented submit. For lost events it is their number, not scaled.
CREATE TABLE events (
    project  UBIGINT NOT NULL,
    visitor  UBIGINT NOT NULL,
    "at"     BIGINT NOT NULL,
    id       UBIGINT NOT NULL,
    kind     UTINYINT NOT NULL, -- see `kind` in row.rs
    name     VARCHAR,           -- of a custom event or an order; otherwise the trigger, or the target of a link
    url      UBIGINT,           -- page
    amount   BIGINT,            -- see above
    unit     UBIGINT,           -- order number, or number of a refund that has its own
    refund_of UBIGINT,          -- number of the refunded order
    currency VARCHAR,
    session  UBIGINT,
    vouched  BOOLEAN NOT NULL,  -- sent with an API key
    signed   BOOLEAN NOT NULL,  -- sent without a key, with a signature of the visitor's id
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
    vouched      BOOLEAN NOT NULL, -- sent with an API key
    signed       BOOLEAN NOT NULL, -- sent without a key, with a signature of the visitor's id
    late         BOOLEAN NOT NULL, -- received too long after its time to count; see `Record::is_late`
    network      VARCHAR,          -- hash, in hexadecimal digits; NULL with a key
    session      UBIGINT,
    url          UBIGINT,
    origin       VARCHAR,          -- of the page: scheme, host and port
    profile      UBIGINT NOT NULL, -- further attributes, see `profiles`
    landing_page VARCHAR,          -- without query and fragment
    referrer     VARCHAR,          -- host
    utm_source   VARCHAR,
    utm_medium   VARCHAR,
    utm_campaign VARCHAR,
    log          UTINYINT NOT NULL,
    seq          BIGINT NOT NULL
);

-- Health events: reports about a page with a variant. Bit n of `asked` is 1 if change n applies to the page, bit n of
-- `found` is 1 if it matched an element. Measures are limited to their caps, and NULL when not reported. Bots are
-- excluded.
CREATE TABLE health (
    project UBIGINT NOT NULL,
    test    BIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    variant UTINYINT NOT NULL,
    "at"    BIGINT NOT NULL,
    id      UBIGINT NOT NULL,
    vouched BOOLEAN NOT NULL, -- sent with an API key
    asked   BIGINT NOT NULL,
    found   BIGINT NOT NULL,
    failed  BOOLEAN NOT NULL, -- code threw an error, or a selector was not valid
    late    BOOLEAN NOT NULL, -- the variant was applied too late to be shown
    hidden  BIGINT,           -- milliseconds for which elements were hidden
    lcp     BIGINT,           -- milliseconds
    cls     BIGINT,           -- in ten-thousandths
    inp     BIGINT,           -- milliseconds
    error   VARCHAR,          -- message of the first error; this column and the next two are NULL unless `failed`
    page    VARCHAR,          -- URL without query and fragment
    browser VARCHAR,
    log     UTINYINT NOT NULL,
    seq     BIGINT NOT NULL
);

-- Attributes of visitors. Many visitors share a profile, so a question carries one number per visitor and joins this
-- table after counting. The number is the hash of the other columns; a row may exist twice.
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

-- Ids of visitors with events, from which the positions in a holdout's group are computed. A row may exist twice.
CREATE TABLE visitors (
    project UBIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    text    VARCHAR NOT NULL
);

-- Ranges of blocks before the watermark whose events could not be read: the blocks were damaged or missing, or events
-- of one project in them could not be parsed. `last` is less than `first` if no block is lost, but the hash chain is
-- broken. A row may exist twice.
CREATE TABLE damage (
    project UBIGINT, -- NULL: any project
    log     UTINYINT NOT NULL,
    first   BIGINT NOT NULL,
    last    BIGINT NOT NULL
);

-- Deletions of events from blocks before the watermark: the records of the log's rewrites. A row may exist twice.
CREATE TABLE rewritten (
    log      UTINYINT NOT NULL,
    seq      BIGINT NOT NULL,
    nth      BIGINT NOT NULL,  -- number of the block's rewrite, from 1
    project  UBIGINT NOT NULL,
    removed  UBIGINT NOT NULL, -- number of events
    "at"     BIGINT NOT NULL,
    expired  BOOLEAN NOT NULL, -- true: by retention; false: the data of a visitor was deleted
    in_place BOOLEAN NOT NULL  -- rows were deleted from these tables, so the file may still have their bytes
);

-- The watermark of each log: the block up to which its events are loaded. It is updated in the transaction that adds
-- the rows.
CREATE TABLE logs (
    number UTINYINT NOT NULL, -- from 1, in the order of their first load
    id     BLOB NOT NULL,     -- 16 bytes
    seq    BIGINT NOT NULL,
    hash   BLOB               -- of that block; NULL when it could not be read
);

-- Schema version, in one row.
CREATE TABLE version (
    schema INTEGER NOT NULL
);
