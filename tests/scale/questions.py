"""Runs the queries of `docs/src/how-to/run-on-many-machines.md` on a trace with one dialogue per line: `questions.py TRACE`.
DuckDB runs the queries of the page. The expected answers are computed here in Python."""

import collections
import json
import pathlib
import re
import statistics
import sys

import duckdb

page = pathlib.Path("docs/src/how-to/run-on-many-machines.md").read_text(encoding="utf-8")
queries = dict(re.findall(r"```sql\n-- (.*?)\n(.*?)```", page, re.DOTALL))
with open(sys.argv[1], encoding="utf-8") as lines:
    dialogues = [json.loads(line)["turns"] for line in lines]

rules = collections.Counter(turn["rule"]["transition"] for turns in dialogues for turn in turns)
del rules[None]
dead = collections.Counter(turns[-1]["state"]["to"] for turns in dialogues if not turns[-1]["final"])
lengths = collections.defaultdict(list)
for turns in dialogues:
    for kind in {turn["class"] for turn in turns}:
        lengths[kind].append(len(turns))


def most_first(counts):
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


expected = {
    "Which rule decides most often": most_first(rules)[:10],
    "Last states of unfinished dialogues": most_first(dead),
    "Length of the dialogues with a turn of each class": sorted(
        (kind, len(of), round(statistics.fmean(of), 2), max(of)) for kind, of in lengths.items()
    ),
}
assert expected.keys() == queries.keys(), "the queries of the page have changed"
for question, query in queries.items():
    answer = duckdb.sql(query.replace("trace.jsonl", sys.argv[1])).fetchall()
    assert answer == expected[question], (question, answer, expected[question])
    print(f"scale: {question}: {answer[0]} and {len(answer) - 1} more")
