"""Checks a complete run, shards, selection and review of a large suite: `check.py BINARY PROJECT`. Prints the time of each step."""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
PROJECT = pathlib.Path(sys.argv[2])
ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


def fail(what):
    sys.exit(f"suite: {what}")


def expect(what, expected, got):
    if expected != got:
        fail(f"{what}: expected {expected}, got {got}")


def run(*arguments, codes=(0,), label=None):
    """Returns standard output. With `label`, prints the CPU time and the duration."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [BINARY, *arguments], cwd=PROJECT, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        encoding="utf-8",
    )
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in codes:
        fail(f"{arguments} ended with {done.returncode}:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    if label:
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"suite: {label}: {cpu:.2f} s CPU, {wall:.2f} s")
    return done.stdout


def git(*arguments):
    name = ["-c", "user.name=suite", "-c", "user.email=suite@localhost"]
    subprocess.run(["git", *name, *arguments], cwd=PROJECT, env=ENVIRONMENT, check=True, capture_output=True)


def report(name, *arguments, codes=(0,)):
    run("test", "--report", f"json={name}", *arguments, codes=codes)
    return (PROJECT / name).read_text(encoding="utf-8")


def edit(path, line, old, new):
    file = PROJECT / path
    lines = file.read_text(encoding="utf-8").split("\n")
    if old not in lines[line - 1]:
        fail(f"cannot edit {path}:{line}: found {lines[line - 1]}")
    lines[line - 1] = lines[line - 1].replace(old, new)
    file.write_text("\n".join(lines), encoding="utf-8")


def complete():
    listed = [json.loads(line) for line in run("list", "--format", "jsonl", label="list").splitlines()]
    if len(listed) < 3000:
        fail(f"only {len(listed)} scenarios")
    run("test", label="all, without snapshots")
    verdicts = [scenario["verdict"] for scenario in json.loads(report("first.json"))["scenarios"]]
    expect("the scenarios", len(listed), len(verdicts))
    expect("the verdicts", {"passed", "skipped"}, set(verdicts))
    run("test", "--accept")
    run("test", "--check", "--require-snapshots", label=f"all {len(listed)}, with snapshots")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "All pass")
    return listed


def selected(listed):
    tagged = [scenario for scenario in listed if "smoke" in scenario["tags"]]
    run("test", "-E", "tag(smoke)", label=f"the {len(tagged)} scenarios with a tag")
    found = json.loads(report("tagged.json", "-E", "tag(smoke)"))["scenarios"]
    expect("scenarios with a tag", sorted(scenario["id"] for scenario in tagged), sorted(scenario["id"] for scenario in found))
    parts = [report(f"{number}.json", "--check", "--coverage", "--shard", f"{number}/3") for number in (1, 2, 3)]
    if not all(json.loads(part)["scenarios"] for part in parts):
        fail("a shard has nothing to run")
    run("merge", "3.json", "1.json", "2.json", "--report", "json=merged.json", label="merge of three shards")
    unsharded = report("whole.json", "--check", "--coverage")
    if (PROJECT / "merged.json").read_text(encoding="utf-8") != unsharded:
        fail("the merged report differs from the complete report")


def changed():
    """Edits a rule that many scenarios share, and a rule of another flow."""
    edit("flows/_base/mixins.yaml", 48, "action}}", "action}}_again")
    edit("flows/profiles/objections.yaml", 7, "objection_price: argue", "objection_price: plead")
    run("test", "--report", "json=edited.json", codes=(1,), label="all, after two edits")
    edited = json.loads((PROJECT / "edited.json").read_text(encoding="utf-8"))
    failed = {scenario["id"] for scenario in edited["scenarios"] if scenario["verdict"] == "failed"}
    waiting = [path for path in (PROJECT / "snapshots").rglob("*.snap.new")]
    again = json.loads(report("again.json", "--failed", codes=(1,)))
    expect("failed scenarios", sorted(failed), sorted(scenario["id"] for scenario in again["scenarios"]))
    touched = run("list", "--changed", "HEAD", "--format", "jsonl", label="scenarios that the edits affect")
    missed = failed - {json.loads(line)["id"] for line in touched.splitlines()}
    if missed:
        fail(f"`--changed` misses failing scenarios: {sorted(missed)[:3]}")
    run("test", "--check", "--report", "html=page.html", codes=(1,))
    print(f"suite: {len(failed)} scenarios fail; the HTML report has {(PROJECT / 'page.html').stat().st_size / 1e6:.1f} MB")
    if (PROJECT / "page.html").stat().st_size > 20_000_000:
        fail("the HTML report is too large")
    shown = run("review", codes=(1,), label=f"review of {len(waiting)} snapshots")
    decisions = re.findall(r"fsmsim review --accept ([0-9a-f]+)", shown)
    expect("decisions", 2, len(decisions))
    if len(waiting) < 253:
        fail(f"only {len(waiting)} snapshots are pending")
    run("review", "--accept", decisions[0], codes=(1,))
    run("review", "--reject", decisions[1])
    expect("pending snapshots after both decisions", 0, len(list((PROJECT / "snapshots").rglob("*.snap.new"))))
    git("checkout", "-q", ".")
    run("test", "--check")


def watched():
    """Measures the time from saving a flow to the verdict of its scenarios."""
    program = subprocess.Popen(
        [BINARY, "test", "--watch", "--check"], cwd=PROJECT, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8", bufsize=1,
    )
    try:
        def verdict():
            for line in program.stdout:
                if re.match(r"\d+ (passed|failed)", line):
                    return line.strip()
            fail("`test --watch` ended")

        verdict()
        taken = []
        for old, new in (("objection_price: argue", "objection_price: plead"), ("objection_price: plead", "objection_price: argue")):
            time.sleep(0.5)
            edit("flows/profiles/objections.yaml", 7, old, new)
            begun = time.monotonic()
            last = verdict()
            taken.append(time.monotonic() - begun)
        if "failed" in last:
            fail(f"the reverted flow fails: {last}")
        print(f"suite: from save to verdict: {taken[0]:.2f} and {taken[1]:.2f} s")
    finally:
        program.kill()
        program.wait()


scenarios = complete()
selected(scenarios)
changed()
watched()
print("suite: the complete run, shards, selection and review agree")
