"""Prints short dialogues of flows/bant, one per line: `turns.py COUNT [SEED]`. Equal seeds give equal output."""

import sys

INTENTS = [
    "greeting", "agreement", "budget_confirmed", "authority_confirmed", "need_confirmed", "timeline_confirmed",
    "price_question", "objection_price", "info_provided", "unclear", "go_back", "rejection",
]
DATA = ["", ',"data":{"budget_range":"300"}', ',"data":{"decision_maker":"CEO"}', ',"data":{"pain_point":"queues"}']


def dialogues(count, seed):
    chance = seed * 2654435761 % 2**32 | 1
    for number in range(count):
        turns = []
        for _ in range(2 + number % 4):
            # A step of a generator that gives the same numbers on every computer.
            chance ^= chance << 13 & 0xFFFFFFFF
            chance ^= chance >> 17
            chance ^= chance << 5 & 0xFFFFFFFF
            intent = INTENTS[(chance >> 8) % len(INTENTS)]
            data = DATA[(chance >> 16) % len(DATA)] if intent == "info_provided" else ""
            turns.append(f'{{"intent":"{intent}"{data}}}')
        yield f'{{"id":"d{number}","turns":[{",".join(turns)}]}}\n'


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.stdout.writelines(dialogues(numbers[0], numbers[1] if len(numbers) > 1 else 1))
