#!/usr/bin/env python3
"""Checks recorded interviews against the specification: which rule each dialogue violates, and in which turn.

It reads only the recordings, and is independent of the program and of the traces that the tests create. Usage:
judge.py FOLDER. It prints one line per violation: dialogue, turn and rule, separated by tabs.
"""

import json
import pathlib
import sys

QUESTIONS = 30
THRESHOLD = 0.7
DONE = "the end"


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Point:
    def __init__(self, definition):
        self.name = definition["id"]
        self.priority = definition["priority"]
        self.needs = definition["depends_on"]
        self.reachable = True
        self.completed = False
        self.confidence = 0.0
        self.text = None


class Checker:
    """Follows a dialogue decision by decision."""

    def __init__(self, dialogue, points):
        config = dialogue["config"]
        self.dialogue = dialogue
        self.budget = config["max_follow_ups"]
        self.points = {point["id"]: Point(point) for point in points}
        # A point that depends on an unknown point or on itself is unreachable.
        waiting = True
        for point in self.points.values():
            point.reachable = False
        while waiting:
            waiting = [
                point
                for point in self.points.values()
                if not point.reachable
                and all(need in self.points and self.points[need].reachable for need in point.needs)
            ]
            for point in waiting:
                point.reachable = True
        for name, confidence in config["prefill"]:
            self.points[name].completed = True
            self.points[name].confidence = confidence
        self.place = None  # the last question: (point, whether it is a follow-up)
        self.asked = {name: 0 for name in self.points}
        self.turn = 0
        self.broken = set()

    def add(self, rule):
        self.broken.add((self.dialogue["id"], self.turn, rule))

    def ready(self, name):
        point = self.points[name]
        if point.completed or not point.reachable:
            return False
        return all(self.points[need].completed for need in point.needs)

    def run(self, decisions):
        silent = []
        for number, decision in enumerate(decisions, start=1):
            silent.append(decision)
            skipped = (decision["question"] or "").startswith("skip")
            if not skipped:
                self.see(silent, decision["action"] == "finalize")
                silent = []
        if silent:
            # The dialogue continued without a question until the limit of the loop.
            self.see(silent, True)

    def see(self, decisions, over):
        """Checks a turn: one event that the user saw, and the decisions that led to it."""
        self.turn += 1
        last = decisions[-1]
        hard = last["question"] == "hardcoded:not_sent"
        here = self.place[0] if self.place else None
        before = {name: (point.completed, point.text) for name, point in self.points.items()}
        for decision in decisions:
            current = decision["pre"]["current_rp"]
            if decision["processed"] and current in self.points:
                self.points[current].text = decision["last_answer"]
        for name, point in self.points.items():
            if hard and name == last["rp"]:
                continue  # the recording already contains its answer
            recorded = last["rps"].get(name) or {}
            point.completed = recorded.get("state") == "completed"
            point.confidence = recorded.get("confidence") or 0.0
        was, self.place = self.place, None if over else (last["rp"], last["transition"] in ("deep_dive", "loop_back"))
        if not over and last["rp"] in self.points:
            self.asked[last["rp"]] += 1
        said = decisions[0]["last_answer"]
        self.check_answers(here, before, said)
        self.check_limits(last)
        self.check_phases(was, decisions[0]["pre"]["phase"], last["phase"], over)
        if over:
            if any(self.ready(name) for name in self.points) and last["post"]["questions_asked"] < QUESTIONS:
                self.add("it_ends_only_when_nothing_is_left_to_ask")
        else:
            self.check_question(here, was)
        if hard and last["answer"] is not None:
            # Another component asked, and the answer is stored immediately. The next turn contains the new state of the point.
            self.points[last["rp"]].text = last["answer"]

    def check_answers(self, here, before, said):
        for name, point in self.points.items():
            was_complete, had = before[name]
            if point.text != had and name != here:
                self.add(f"{name}_holds_its_own_answers")
            if point.completed and not was_complete:
                if point.text is None:
                    self.add(f"{name}_is_not_complete_without_an_answer")
                if name != here:
                    self.add(f"{name}_is_completed_by_its_own_answer")
            if point.completed and point.confidence < THRESHOLD:
                self.add(f"{name}_is_complete_only_when_it_is_sure_enough")
            if name == here and said is not None and said.strip() and not point.text:
                self.add(f"{name}_loses_no_answer")

    def check_limits(self, last):
        if last["post"]["follow_ups_asked"] > self.budget:
            self.add("follow_ups_within_budget")
            self.add("counter_out_of_bounds")
        if last["post"]["questions_asked"] > QUESTIONS:
            self.add("questions_within_limit")
            self.add("counter_out_of_bounds")

    def check_phases(self, was, before, after, over):
        def expected(place):
            if place is None:
                return None
            name, again = place
            if name == DONE:
                return "finalizing"
            if name not in self.points:
                return None
            return "deepening" if again else "exploring"

        wanted = "init" if self.turn == 1 else expected(was)
        if wanted and before != wanted:
            self.add("phase_out_of_step")
        wanted = expected((DONE, False) if over else self.place)
        if wanted and after != wanted:
            self.add("phase_out_of_step")

    def check_question(self, here, was):
        name, again = self.place
        if name not in self.points:
            self.add("unknown_state")
            return
        point = self.points[name]
        if not again and self.asked[name] > 1:
            self.add(f"{name}_is_asked_once")
        if point.completed:
            self.add(f"{name}_is_not_asked_where_it_is_complete")
        if name == here:
            return
        if again:
            self.add(f"{name}_is_asked_again_only_after_its_answer")
            if was is None or here in self.points:
                self.add("undeclared_transition")
            if was is None:
                self.add("phases_follow_their_edges")
        if any(other.priority < point.priority and self.ready(other.name) for other in self.points.values()):
            self.add(f"{name}_waits_for_what_matters_more")
        if point.needs and not (point.reachable and all(self.points[need].completed for need in point.needs)):
            self.add(f"{name}_waits_for_what_it_depends_on")


def main():
    folder = pathlib.Path(sys.argv[1])
    sets = json.loads((folder / "interview_point_sets.json").read_text(encoding="utf-8"))
    decisions = {}
    for decision in lines(folder / "interview_turns.jsonl"):
        decisions.setdefault(decision["id"], []).append(decision)
    for dialogue in lines(folder / "interview_dialogues.jsonl"):
        check = Checker(dialogue, sets[dialogue["config"]["rp_set"]])
        check.run(decisions[dialogue["id"]])
        for breach in sorted(check.broken):
            print(*breach, sep="\t")


main()
