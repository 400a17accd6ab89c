"""A tea shop bot that follows `table.json`. With a fault, it fails in the second turn."""

import json
import os
import pathlib
import sys
import time

TABLE = json.loads((pathlib.Path(__file__).parent / "table.json").read_text())
WORDS = {"tea, please": "order", "black": "tea_named", "green": "tea_named", "thank": "thanks", "bye": "goodbye"}


class Bot:
    def __init__(self, fault=""):
        self.state, self.tea, self.turns, self.fault = "greeting", None, 0, fault

    def say(self, text):
        self.turns += 1
        intent = next((intent for word, intent in WORDS.items() if word in text.lower()), "unclear")
        if intent == "tea_named":
            self.tea = "black" if "black" in text.lower() else "green"
        to, reply = TABLE[self.state].get(intent, (self.state, "What can I do for you?"))
        self.state = to
        reply = reply.format(tea=self.tea)
        if self.fault and self.turns == 2:
            if self.fault == "state":
                self.state = "greeting"
            elif self.fault == "reply":
                reply = "We have no tea."
            elif self.fault == "dies":
                print("the kettle is broken", file=sys.stderr, flush=True)
                os._exit(3)
            elif self.fault == "hangs":
                time.sleep(600)
            elif self.fault == "error":
                raise RuntimeError("out of tea")
        answer = {"state": self.state.upper(), "intent": intent, "reply": reply, "over": not TABLE[self.state]}
        if self.tea:
            answer["tea"] = self.tea
        return answer
