CREATE TABLE IF NOT EXISTS documents (
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    schema TEXT,
    PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;
