"""The tables, as SQL with comments (docs/reference/store-schema.md shows the same text)."""

SCHEMA_VERSION = 3
"""Of the tables below; a file with another one is refused."""

APPLICATION_ID = 0x62656E61
"""Tells our files from other SQLite databases ("bena")."""

SCHEMA = """\
-- A subject made ready: what its digest stands for. Its folder and environment are not kept.
CREATE TABLE project (
    digest    TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    revision  TEXT NOT NULL,
    language  TEXT NOT NULL,
    harness   TEXT NOT NULL,
    options   TEXT NOT NULL          -- JSON: [[key, value], ...]
);

-- The benchmarks that a harness listed; how many threads they have hangs on the machine. Sources
-- are not kept: the digest identifies them, and they are read again.
CREATE TABLE suite (
    subject   TEXT NOT NULL REFERENCES project (digest),
    machine   TEXT NOT NULL,         -- as in run
    listing   TEXT NOT NULL,         -- JSON: {"benchmarks": [...], "unusable": [[id, why], ...]}
    seconds   REAL NOT NULL,         -- how long a benchmark was given for one operation
    version   TEXT NOT NULL,         -- of bench-audit
    PRIMARY KEY (subject, machine)
);

-- Everything that decides what a process measures. The id is a digest of the rest, so a changed
-- subject, plan or seed is another trial, and what is here need not be measured again.
CREATE TABLE trial (
    id         TEXT PRIMARY KEY,
    subject    TEXT NOT NULL,        -- digest of all that the benchmark is built of and may read
    purpose    TEXT NOT NULL,        -- pilot suite usage reach calibration pairs reference
                                     -- mutant allocation comparison steady trace profile
    variant    TEXT NOT NULL,        -- plain counting delayed traced profiled
    methods    TEXT NOT NULL,        -- JSON: the ids of the variant's methods
    guarded    INTEGER NOT NULL,     -- 1: nested calls do not wait again
    overlay    TEXT NOT NULL,        -- digest of what is laid over the benchmark's program
    benchmark  TEXT,                 -- id; NULL for unit tests
    schedule   TEXT NOT NULL,        -- JSON: arms, blocks, seconds, operations
    repetition INTEGER NOT NULL,     -- the run of the study, one-based
    fork       INTEGER NOT NULL,     -- the process of that run, one-based
    seed       INTEGER NOT NULL,
    layout     INTEGER NOT NULL, -- the order of functions is drawn with it; 0: it is not
    watch      TEXT NOT NULL, -- JSON: what may end it early; '' where nothing does
    tests      TEXT NOT NULL, -- the package whose unit tests run; '' where that is all
    rough      INTEGER NOT NULL -- 1: others may have run beside it
);
CREATE INDEX trial_by_subject ON trial (subject, purpose);

-- How a trial ended. A failure is kept too, so that a resumed study does not repeat it, until one
-- with a longer time-out or --retry-failed does.
-- Machines that are not alike have runs of their own: the store may have been copied.
CREATE TABLE run (
    id        INTEGER PRIMARY KEY,
    trial     TEXT NOT NULL REFERENCES trial (id),
    machine   TEXT NOT NULL,         -- processor, cores, memory, architecture, in words
    host      TEXT NOT NULL,         -- JSON: {"name": ..., "facts": [[key, value], ...]}, tools too
    ending    TEXT NOT NULL,         -- measured counted profiled skipped timed-out crashed ...
    payload   TEXT NOT NULL,         -- JSON: what the ending tells, without the series
    started   TEXT NOT NULL,         -- UTC, ISO 8601
    seconds   REAL NOT NULL,         -- from start to end, by the clock
    revision  TEXT NOT NULL, -- it was made of
    strain    TEXT NOT NULL, -- JSON: shares of time stolen, waited, and so on; '': none
    loop      REAL,                  -- seconds of a fixed loop just before; NULL: it was not run
    UNIQUE (trial, machine)
);

-- The values of one metric, arm and phase of a run, in the order measured.
CREATE TABLE series (
    run       INTEGER NOT NULL REFERENCES run (id),
    number    INTEGER NOT NULL,      -- its place among the series of the run
    metric    TEXT NOT NULL,         -- time operations method-calls method-time clock-cost wall ...
    unit      TEXT NOT NULL,
    arm       TEXT NOT NULL,         -- plain probe slowed clocked allocating
    phase     TEXT NOT NULL,         -- warmup measurement
    packed    BLOB NOT NULL,         -- doubles, little-endian
    positions BLOB NOT NULL,         -- unsigned 32-bit, little-endian: the blocks' places
    PRIMARY KEY (run, number)
);

-- What was asked, when and with which tools, so that a report can be made again.
CREATE TABLE audit (
    id        INTEGER PRIMARY KEY,
    command   TEXT NOT NULL,         -- abs stability measure compare
    subject   TEXT NOT NULL,         -- project.digest
    config    TEXT NOT NULL,         -- JSON: the merged configuration, readable as a file of ours
    tools     TEXT NOT NULL,         -- JSON: [[name, version], ...]
    version   TEXT NOT NULL,         -- of bench-audit
    started   TEXT NOT NULL,         -- UTC, ISO 8601
    ended     TEXT,                  -- NULL: it was interrupted
    document  TEXT                   -- JSON: the result, NULL as long as there is none
);
CREATE INDEX audit_by_subject ON audit (subject);

-- Of two versions of a class: the tests made for them, and what each took with a number of threads.
CREATE TABLE concurrency (
    id        TEXT NOT NULL,         -- digest of all that decides it
    machine   TEXT NOT NULL,         -- as in run
    payload   TEXT NOT NULL,         -- JSON
    made      TEXT NOT NULL,         -- UTC, ISO 8601
    PRIMARY KEY (id, machine)
);

-- What a performance gate was shown, and what it answered.
CREATE TABLE gate (
    id        TEXT NOT NULL,         -- digest of the gate, the subject, the pair and its number
    machine   TEXT NOT NULL,         -- as in run
    payload   TEXT NOT NULL,         -- JSON
    made      TEXT NOT NULL,         -- UTC, ISO 8601
    PRIMARY KEY (id, machine)
);
"""
