"""What people ask of a trace, with DuckDB: `questions.py TRACE`, a dialogue a line. The page `docs/scale.md` has the same
queries; here they are read from it."""

import pathlib
import re
import sys

import duckdb

page = pathlib.Path("docs/scale.md").read_text(encoding="utf-8")
trace = sys.argv[1].replace("'", "''")
for query in re.findall(r"```sql\n(.*?)```", page, re.DOTALL):
    print(query.splitlines()[0])
    for row in duckdb.sql(query.replace("trace.jsonl", trace)).fetchall():
        print(" ", *row)
