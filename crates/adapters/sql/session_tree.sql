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
