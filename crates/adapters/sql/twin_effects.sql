CREATE TABLE IF NOT EXISTS effects (
    session TEXT NOT NULL,
    turn INTEGER NOT NULL,
    effect TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (session, turn, effect, number)
) STRICT, WITHOUT ROWID;
