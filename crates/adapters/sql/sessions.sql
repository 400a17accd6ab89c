CREATE TABLE IF NOT EXISTS sessions (
    name TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    model TEXT NOT NULL,
    profile TEXT NOT NULL,
    given TEXT NOT NULL,
    start TEXT NOT NULL,
    permissive INTEGER NOT NULL,
    twin TEXT,
    fingerprint TEXT NOT NULL,
    turns INTEGER NOT NULL,
    saved TEXT NOT NULL,
    memory TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS turns (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (session, number)
) STRICT;
CREATE TABLE IF NOT EXISTS utterances (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session, number)
) STRICT;
CREATE TABLE IF NOT EXISTS progress (
    session TEXT NOT NULL PRIMARY KEY,
    turn INTEGER NOT NULL,
    line TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS answers (
    session TEXT NOT NULL,
    need TEXT NOT NULL,
    effect TEXT NOT NULL,
    number INTEGER NOT NULL,
    position INTEGER NOT NULL,
    answer TEXT NOT NULL,
    memory TEXT NOT NULL,
    PRIMARY KEY (session, need, effect, number)
) STRICT;
