CREATE TABLE IF NOT EXISTS documents (
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    schema TEXT,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS effects (
    session TEXT NOT NULL,
    turn INTEGER NOT NULL,
    effect TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (session, turn, effect, number)
) STRICT, WITHOUT ROWID;
