CREATE TABLE IF NOT EXISTS sessions (
    id TEXT NOT NULL PRIMARY KEY,
    turn INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS artifacts (
    id TEXT NOT NULL PRIMARY KEY,
    session TEXT NOT NULL,
    turn INTEGER NOT NULL,
    task TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    sequence INTEGER UNIQUE
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS artifacts_of_sessions ON artifacts (session, turn);
CREATE VIRTUAL TABLE IF NOT EXISTS artifact_words USING fts5(stems, content = '', tokenize = 'unicode61');
CREATE TABLE IF NOT EXISTS relations (
    artifact TEXT NOT NULL,
    relation TEXT NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (artifact, relation, entry)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audit (
    number INTEGER NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    entry TEXT NOT NULL,
    hash TEXT NOT NULL,
    session TEXT GENERATED ALWAYS AS (json_extract(entry, '$.session')) STORED,
    observation TEXT GENERATED ALWAYS AS (json_extract(entry, '$.what.observation_id')) STORED,
    submitted TEXT GENERATED ALWAYS AS
        (CASE json_extract(entry, '$.kind') WHEN 'task_submitted' THEN json_extract(entry, '$.task') END) STORED
) STRICT;
CREATE INDEX IF NOT EXISTS audit_of_sessions ON audit (session, number);
CREATE INDEX IF NOT EXISTS audit_of_observations ON audit (observation, number) WHERE observation IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_of_tasks ON audit (submitted, number) WHERE submitted IS NOT NULL;
CREATE TABLE IF NOT EXISTS chain (
    name TEXT NOT NULL PRIMARY KEY,
    entries INTEGER NOT NULL,
    hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS audit_is_not_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit is only appended to');
END;
CREATE TRIGGER IF NOT EXISTS audit_is_not_shortened BEFORE DELETE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit is only appended to');
END;
