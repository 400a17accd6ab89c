#!/usr/bin/env python3
"""Measures the language server: `speed.py BINARY [LINES]` creates a flow and a scenario file with about LINES lines each (default:
5,000). It sends every request many times, each after a key press, and prints the median, p99 and maximum in milliseconds, until the
response has been read. Build the binary with `cargo build --release`."""

import json
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROUNDS = 100


def flow(lines):
    """A flow whose states have eight lines each."""
    states = lines // 8 - 2
    text = "flow: {name: large, entry_points: {default: state_0}}\nmixins:\n  polite: {rules: {thanks: bow}}\nstates:\n"
    for number in range(states):
        step, far = (number + 1) % states, (number * 7 + 3) % states
        text += (
            f"  state_{number}:\n    goal: Спросить о {number}\n    mixins: [polite]\n    required_data: [slot_{number % 50}]\n"
            f"    rules:\n      question_{number % 90}: answer_{number}\n"
            f"    transitions: {{yes: state_{step}, no: state_{far}, data_complete: state_{step}}}\n"
            f"    # {number}\n"
        )
    return text + "  last: {is_final: true}\n"


def scenarios(lines):
    """Scenarios with ten turns each."""
    text = ""
    for number in range(lines // 24):
        text += f"---\nscenario: Nr {number}\nmodel: flow.yaml\nturns:\n"
        for turn in range(10):
            text += f"  - intent: yes\n    expect: {{state: state_{turn + 1}}}\n"
    return text


class Client:
    def __init__(self, binary, root):
        self.process = subprocess.Popen([binary, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self.number, self.answers, self.findings, self.root = 0, queue.Queue(), queue.Queue(), root
        threading.Thread(target=self.read, daemon=True).start()
        self.ask("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}})
        self.send({"method": "initialized", "params": {}})

    def read(self):
        output = self.process.stdout
        while header := output.readline():
            length = int(header.split(b":")[1])
            while output.readline().strip():
                pass
            message = json.loads(output.read(length))
            if message.get("method") == "textDocument/publishDiagnostics":
                self.findings.put(message["params"])
            elif "method" not in message:
                self.answers.put(message)

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.answers.get(timeout=60)

    def until(self, uri, holds):
        while True:
            published = self.findings.get(timeout=60)
            if published["uri"] == uri and holds(published["diagnostics"]):
                return


class Document:
    def __init__(self, client, path):
        self.client, self.uri, self.text, self.version = client, path.as_uri(), path.read_text(), 1
        item = {"uri": self.uri, "languageId": "yaml", "version": 1, "text": self.text}
        client.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})

    def type(self, line, character, text, length=0):
        self.version += 1
        at = {"start": {"line": line, "character": character}, "end": {"line": line, "character": character + length}}
        document = {"uri": self.uri, "version": self.version}
        params = {"textDocument": document, "contentChanges": [{"range": at, "text": text}]}
        self.client.send({"method": "textDocument/didChange", "params": params})


def report(name, times):
    times = sorted(time * 1000 for time in times)
    middle, high = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"{name:36} median {middle:7.1f}  p99 {high:7.1f}  max {times[-1]:7.1f}")


def main():
    binary, lines = str(Path(sys.argv[1]).resolve()), int((sys.argv[2:] or [5000])[0])
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "fsmsim.toml").write_text("")
        (root / "scenarios").mkdir()
        (root / "flow.yaml").write_text(flow(lines))
        (root / "scenarios/all.yaml").write_text(scenarios(lines))
        client = Client(binary, root)
        documents = {name: Document(client, root / name) for name in ("flow.yaml", "scenarios/all.yaml")}
        time.sleep(3)
        for name, document in documents.items():
            text = document.text.splitlines()
            print(f"{name}: {len(text)} lines")
            word = "state_"
            places = [(at, line.index(word) + 2) for at, line in enumerate(text) if word in line]
            for method in (
                "definition", "references", "hover", "completion", "prepareRename", "rename", "documentSymbol", "codeAction", "codeLens",
            ):
                times = []
                for _ in range(ROUNDS):
                    line, character = chance.choice(places)
                    # A key press first, so that the server has to analyze the text again.
                    document.type(line, len(text[line]), " ")
                    position = {"line": line, "character": character}
                    params = {
                        "textDocument": {"uri": document.uri},
                        "position": position,
                        "newName": "other",
                        "range": {"start": position, "end": position},
                        "context": {"includeDeclaration": True, "diagnostics": []},
                    }
                    begun = time.perf_counter()
                    client.ask(f"textDocument/{method}", params)
                    times.append(time.perf_counter() - begun)
                report(method, times)
            times = []
            line, character = places[len(places) // 2]
            for _ in range(20):
                for new, wrong in (("~", True), ("", False)):
                    begun = time.perf_counter()
                    document.type(line, character, new, 0 if wrong else 1)
                    client.until(document.uri, lambda found: any(one["severity"] == 1 for one in found) == wrong)
                    times.append(time.perf_counter() - begun)
            report("findings, after a key press", times)
        client.process.kill()


main()
