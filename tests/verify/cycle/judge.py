#!/usr/bin/env python3
"""Judges recorded cycles by the document alone: which rule each run breaks, and in which turn.

It reads the recordings, and knows nothing of the program or of the traces that the tests make of them. The task is
submitted in turn 1, and the work of each node is a turn; where a node broke off, that is the last one. Usage:
judge.py FOLDER. It prints a line for each breach: run, turn and rule, with tabs between them.
"""

import json
import pathlib
import re
import sys

NODES = ["analyze", "plan", "execute", "validate", "commit"]
REPLANS = 3

# Of three tasks and what became of them the status is known, and that the run of the same script failed: a store that did not
# take the commit, a reviewer who never lets it pass, and a planner that does not answer.
SAME_SCRIPT = {"commit_failed": "commit_fails_embedding", "failed_forever": "failed_forever", "llm_down": "llm_error_in_plan"}


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def approves(text):
    """An approval has its word, and none of the others."""
    found = set(re.findall(r"DECISION: ?(APPROVED|NEEDS_REPLAN|FAILED)", text.upper()))
    return found == {"APPROVED"}


def refused(action):
    """What was not let pass. An action that took too long was."""
    return not action["success"] and "timed out" not in action["error"]


def shares(step):
    """Whether knowledge, or what is for everybody, was written into a store."""
    stores = [entry for entry in step["memory"] if entry["op"].startswith("backend.") and entry["allowed"]]
    return any(entry["memory_type"] in ("semantic", "procedural") or entry["scope"] == "shared" for entry in stores)


def judge(run, steps, statuses):
    name, broken = run["id"], set()
    over = len(steps) + 1
    if run["exception"] and not run["exception"].startswith("GraphRecursionError"):
        over += 1
    failed = bool(run["exception"]) or run["final"]["is_failed"]
    validated, times, open_refusal = False, 0, False

    def tell(turn, rule):
        broken.add((name, turn, rule))

    for turn, step in enumerate(steps, start=2):
        node = step["node"]
        after = steps[turn - 1]["node"] if turn - 1 < len(steps) else None
        if after and after not in NODES:
            tell(turn, "unknown_state")
        if shares(step):
            if node != "commit":
                tell(turn, "shared_memory_is_written_by_commit_alone")
            if not validated:
                tell(turn, "nothing_is_shared_before_it_is_validated")
        for action in step["actions"]:
            open_refusal = refused(action) or open_refusal and not action["success"]
        if node == "validate":
            said = run["script"].get("reviewer")
            if said and after == "commit" and not approves(said[min(times, len(said) - 1)]):
                tell(turn, "an_approval_says_so")
            times += 1
        if times > REPLANS + 1:
            tell(turn, "validations_keep_to_the_limit")
        plans = sum(1 for earlier in steps[: turn - 1] if earlier["node"] == "plan") - 1
        # The plan belongs to the turn that leads to it.
        plans += after == "plan"
        if plans > REPLANS:
            tell(turn, "counter_out_of_bounds")
        if turn == over and not failed:
            if any(subtask != "completed" for subtask in step["state"]["subtasks"]):
                tell(turn, "a_committed_task_has_done_all_subtasks")
            if open_refusal:
                tell(turn, "a_refused_action_is_not_committed")
        validated = step["state"]["is_validated"]
    if (run["exception"] or "").startswith("GraphRecursionError"):
        tell(over, "a_task_fails_by_a_rule")
    if failed and statuses.get(name, "failed") != "failed":
        tell(over, "a_failed_task_is_failed")
    return broken


def judge_restart(row):
    """A task whose process was started again: whether it is found by its id, and goes on."""
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
        broken |= judge(run, steps.get(run["id"], []), statuses)
    for row in units:
        if row["table"] == "restart":
            broken |= set(judge_restart(row))
    for breach in sorted(broken):
        print(*breach, sep="\t")


main()
