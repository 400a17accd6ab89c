#!/usr/bin/env python3
"""Checks recorded cycles against the specification: which rule each run violates, and in which turn.

It reads only the recordings, and is independent of the program and of the traces that the tests create. The task is
submitted in turn 1, and the work of each node is a turn. An interrupted node is the last turn. Usage: judge.py FOLDER.
It prints one line per violation: run, turn and rule, separated by tabs.
"""

import json
import pathlib
import re
import sys

NODES = ["analyze", "plan", "execute", "validate", "commit"]
REPLANS = 3

# The status is known for three tasks whose runs failed: the store rejected the commit, the reviewer never approved, and the planner
# did not answer. The values are the runs with the same script.
SAME_SCRIPT = {"commit_failed": "commit_fails_embedding", "failed_forever": "failed_forever", "llm_down": "llm_error_in_plan"}


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def approves(text):
    """An approval contains this decision and no other one."""
    found = set(re.findall(r"DECISION: ?(APPROVED|NEEDS_REPLAN|FAILED)", text.upper()))
    return found == {"APPROVED"}


def refused(action):
    """Whether an action was denied. An action that timed out was allowed."""
    return not action["success"] and "timed out" not in action["error"]


def shares(step):
    """Whether knowledge or an entry with the shared scope was written into a store."""
    stores = [entry for entry in step["memory"] if entry["op"].startswith("backend.") and entry["allowed"]]
    return any(entry["memory_type"] in ("semantic", "procedural") or entry["scope"] == "shared" for entry in stores)


def check(run, steps, statuses):
    name, broken = run["id"], set()
    over = len(steps) + 1
    if run["exception"] and not run["exception"].startswith("GraphRecursionError"):
        over += 1
    failed = bool(run["exception"]) or run["final"]["is_failed"]
    validated, times, open_refusal = False, 0, False

    def add(turn, rule):
        broken.add((name, turn, rule))

    for turn, step in enumerate(steps, start=2):
        node = step["node"]
        after = steps[turn - 1]["node"] if turn - 1 < len(steps) else None
        if after and after not in NODES:
            add(turn, "unknown_state")
        if shares(step):
            if node != "commit":
                add(turn, "shared_memory_is_written_by_commit_alone")
            if not validated:
                add(turn, "nothing_is_shared_before_it_is_validated")
        for action in step["actions"]:
            open_refusal = refused(action) or open_refusal and not action["success"]
        if node == "validate":
            said = run["script"].get("reviewer")
            if said and after == "commit" and not approves(said[min(times, len(said) - 1)]):
                add(turn, "an_approval_says_so")
            times += 1
        if times > REPLANS + 1:
            add(turn, "validations_keep_to_the_limit")
        plans = sum(1 for earlier in steps[: turn - 1] if earlier["node"] == "plan") - 1
        # A plan counts in the turn that transitions to it.
        plans += after == "plan"
        if plans > REPLANS:
            add(turn, "counter_out_of_bounds")
        if turn == over and not failed:
            if any(subtask != "completed" for subtask in step["state"]["subtasks"]):
                add(turn, "a_committed_task_has_done_all_subtasks")
            if open_refusal:
                add(turn, "a_refused_action_is_not_committed")
        validated = step["state"]["is_validated"]
    if (run["exception"] or "").startswith("GraphRecursionError"):
        add(over, "a_task_fails_by_a_rule")
    if failed and statuses.get(name, "failed") != "failed":
        add(over, "a_failed_task_is_failed")
    return broken


def check_restart(row):
    """Whether a task with a restarted process is found by its ID and continues."""
    name = f"restart_{row['n']}"
    worked = 1 + ["analyze", "plan", "execute", "validate"].index(row["crashed_during_after"])
    turn = 1 + worked + 1
    if row["new_process_get_status"] is None:
        yield (name, turn, "a_task_keeps_its_id")
    if not row["resumed"]:
        yield (name, turn, "a_task_comes_to_an_end")
        yield (name, turn, "wrong_final")


def main():
    folder = pathlib.Path(sys.argv[1])
    steps = {}
    for step in lines(folder / "cycle_steps.jsonl"):
        steps.setdefault(step["id"], []).append(step)
    units = lines(folder / "cycle_units.jsonl")
    cases = [row for row in units if row["table"] == "task_lifecycle"]
    statuses = {SAME_SCRIPT[row["case"]]: row["final_status"] for row in cases if row["case"] in SAME_SCRIPT}
    broken = set()
    for run in lines(folder / "cycle_runs.jsonl"):
        broken |= check(run, steps.get(run["id"], []), statuses)
    for row in units:
        if row["table"] == "restart":
            broken |= set(check_restart(row))
    for breach in sorted(broken):
        print(*breach, sep="\t")


main()
