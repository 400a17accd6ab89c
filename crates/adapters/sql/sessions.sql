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
CREATE TABLE IF NOT EXISTS moments (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    before INTEGER NOT NULL,
    line TEXT NOT NULL,
    record TEXT NOT NULL,
    said TEXT NOT NULL,
    id TEXT NOT NULL,
    saved TEXT NOT NULL,
    memory TEXT NOT NULL,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS branches (
    session TEXT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    tip INTEGER NOT NULL,
    PRIMARY KEY (session, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trees (
    session TEXT NOT NULL PRIMARY KEY,
    branch TEXT NOT NULL,
    moment INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    said INTEGER NOT NULL,
    id TEXT NOT NULL,
    saved TEXT NOT NULL,
    memory TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lines (
    number INTEGER NOT NULL PRIMARY KEY,
    session TEXT NOT NULL,
    line TEXT NOT NULL
) STRICT;
