"""The official Python client uses the authoring tools: it writes a flow, lints, plays, saves a scenario and tests.

`author.py BINARY TRANSCRIPT` compares all messages with the transcript, which a Rust test replays without this client.
`--accept` updates the transcript.
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

FLOW = """\
kind: flow
entry_point: {default: greeting}
states:
  greeting:
    goal: Ask for the order
    transitions: {order: size, farewell: parting}
  size:
    goal: Ask for the size
    required_data: [pizza_size]
    rules: {price_question: quote_price}
    transitions: {data_complete: confirm, farewell: parting}
  confirm:
    goal: Confirm the order
    transitions: {agreement: ordered, rejection: size}
  ordered: {is_final: true}
  parting: {is_final: true}
"""


def tee(log, command):
    """Forwards lines between the client and the server, and logs each line."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lock = threading.Lock()
    with open(log, "a", encoding="utf-8") as noted:

        def note(by, line):
            with lock:
                noted.write(json.dumps({by: json.loads(line)}, ensure_ascii=False) + "\n")
                noted.flush()

        def requests():
            for line in sys.stdin.buffer:
                note("client", line)
                server.stdin.write(line)
                server.stdin.flush()
            server.stdin.close()

        reader = threading.Thread(target=requests, daemon=True)
        reader.start()
        for line in server.stdout:
            note("server", line)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    return server.wait()


class Author:
    def __init__(self, client, folder, log):
        self.client, self.folder, self.log = client, folder, log

    def write(self, path, text):
        """Writes a file without the server, which never writes flows."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        with open(self.log, "a", encoding="utf-8") as noted:
            noted.write(json.dumps({"file": {"path": path, "text": text}}) + "\n")

    async def call(self, tool, fails=False, **arguments):
        answer = await self.client.call_tool(tool, arguments)
        assert bool(answer.is_error) == fails, (tool, arguments, answer)
        return answer.structured_content, answer.content[0].text

    async def work(self):
        await self.client.initialize()
        await self.client.list_tools()
        prompt = await self.client.get_prompt("write_a_flow", {"goal": "Sell a pizza", "path": "flows/pizza.yaml"})
        assert "flows/pizza.yaml" in prompt.messages[0].content.text
        # An error that the help text of the finding fixes.
        self.write("flows/pizza.yaml", FLOW)
        found, _ = await self.call("lint", models=["flows/pizza.yaml"])
        assert found["errors"] > 0, found
        typo = next(finding for finding in found["findings"] if "a similar" in (finding["help"] or ""))
        wrong = re.search(r"unknown key `(\w+)`", typo["title"]).group(1)
        right = re.search(r"exists: `(\w+)`", typo["help"]).group(1)
        lines = FLOW.splitlines(keepends=True)
        number = int(typo["at"].split(":")[1]) - 1
        lines[number] = lines[number].replace(wrong, right)
        flow = "".join(lines)
        self.write("flows/pizza.yaml", flow)
        found, _ = await self.call("lint")
        assert found["errors"] == 0, found
        await self.call("graph", model="flows/pizza.yaml", format="mermaid")
        # A dialogue and its explanation.
        played, _ = await self.call("play", model="flows/pizza.yaml", turns=["A pizza, please / order", {"intent": "price_question"}])
        session = played["session"]
        assert played["here"]["state"] == "size", played
        why, _ = await self.call("why", session=session)
        assert why["rules"][0]["at"].startswith("flows/pizza.yaml:"), why
        _, text = await self.call("play", fails=True, session=session, turns=[{"intent": "agrement"}])
        assert "Similar: `agreement`" in text, text
        ways, _ = await self.call("why_not", session=session, to="confirm")
        assert ways["lines"], ways
        played, _ = await self.call("play", session=session, undo=1, turns=ways["lines"])
        assert played["here"]["state"] == "confirm", played
        await self.call("conditions", session=session)
        # The dialogue uses an edited model.
        self.write("flows/pizza.yaml", flow.replace("agreement: ordered", "agreement: ordered, price_question: size"))
        played, text = await self.call("play", session=session, turns=["agreement"])
        assert played["here"]["final"] and "the model was edited" in text, text
        saved, _ = await self.call("save_scenario", session=session, title="A pizza is ordered", file="pizza.yaml")
        assert saved["verdict"] == "passed", saved
        await self.call("save_scenario", fails=True, session=session, title="Again", file="pizza.yaml")
        await self.call("save_scenario", fails=True, session=session, title="Elsewhere", file="../pizza.yaml")
        report, _ = await self.call("test")
        assert [scenario["verdict"] for scenario in report["scenarios"]] == ["passed"], report
        counted, _ = await self.call("coverage", kind="states")
        assert [missed["name"] for missed in counted["missed"]] == ["parting"], counted
        read = await self.client.read_resource("fsmsim://models/flows/pizza.yaml")
        assert "price_question: size" in read.contents[0].text


def transcript(log):
    """The messages in the order of the requests, each with its response, without request IDs and without our version."""
    passed = [json.loads(line) for line in Path(log).read_text("utf-8").splitlines()]
    answers = {entry["server"]["id"]: entry["server"] for entry in passed if "id" in entry.get("server", {})}
    lines = []
    for entry in passed:
        message = entry.get("client")
        if message is None:
            lines += [entry] if "file" in entry else []
            continue
        line = {"method": message["method"], "params": message.get("params")}
        if "id" in message:
            answer = answers[message["id"]]
            line |= {key: answer[key] for key in ("result", "error") if key in answer}
            server = line.get("result", {}).get("serverInfo")
            if server:
                server["version"] = "[version]"
        lines.append(line)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


async def main(command, fixture, accept):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    with tempfile.TemporaryDirectory() as place:
        log, folder = Path(place, "log.jsonl"), Path(place, "project")
        folder.mkdir()
        arguments = [__file__, "--tee", str(log), command, "mcp", "--author", str(folder), "--write"]
        server = StdioServerParameters(command=sys.executable, args=arguments)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
            await Author(client, folder, log).work()
        passed = transcript(log)
    if accept:
        Path(fixture).write_text(passed, "utf-8")
    kept = Path(fixture).read_text("utf-8")
    for number, (now, then) in enumerate(zip(passed.splitlines(), kept.splitlines()), 1):
        assert now == then, f"line {number} of the transcript differs (update it with `--accept`):\n{then}\n{now}"
    assert passed == kept, "the length of the transcript differs"
    print(f"mcp clients: an author writes, plays, saves and tests a flow, in {len(kept.splitlines())} messages that match the transcript")


if sys.argv[1] == "--tee":
    sys.exit(tee(sys.argv[2], sys.argv[3:]))
asyncio.run(main(sys.argv[1], sys.argv[2], "--accept" in sys.argv[3:]))
