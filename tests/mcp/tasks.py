"""The official Python client runs two tasks in parallel to their ends and follows their progress."""

import asyncio
import sys
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

BACKEND = """
answers:
  - {effect: act, when: {capability: run_tests}, return: {status: done, success: true, measurable_effect: tests passed}}
"""
WORKS = [
    "A page is missing",
    {"plan": ["write it"]},
    {"result": "written"},
    {"action": {"capability": "run_tests"}, "message": "tested"},
    {"report": "DECISION: APPROVED"},
    {},
]
READING = {"task_status", "search_memory", "why", "audit"}


async def call(client, tool, arguments, **more):
    answer = await client.call_tool(tool, arguments, **more)
    assert not answer.is_error, (tool, arguments, answer)
    return answer.structured_content


async def drive(client, task):
    await call(client, "submit_task", {"task_id": task, "description": f"Write page {task}"})
    heard = []

    async def progress(turn, total, message):
        heard.append((turn, message))

    followed = asyncio.create_task(call(client, "stream", {"task_id": task, "wait_s": 30}, progress_callback=progress))
    await asyncio.sleep(0.3)
    for output in WORKS:
        status = await call(client, "tick", {"task_id": task, "output": output})
        # Let the other task run.
        await asyncio.sleep(0.01)
    assert status["state"] == "committed", status
    assert (await followed)["state"] == "committed"
    assert [turn for turn, _ in heard] == [2, 3, 4, 5, 6, 7], heard
    assert heard[-1][1] == "commit -> committed (finish)", heard


async def main(command, model):
    with tempfile.TemporaryDirectory() as folder:
        backend = Path(folder, "backend.yaml")
        backend.write_text(BACKEND)
        server = StdioServerParameters(command=command, args=["mcp", model, "--start", f"{{backend: '{backend}'}}"])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
            await client.initialize()
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools if tool.annotations.read_only_hint} == READING, tools
            await asyncio.gather(drive(client, "one"), drive(client, "two"))
            refused = await client.call_tool("tick", {"task_id": "one", "output": "more"})
            assert refused.is_error and "has ended" in refused.content[0].text, refused
            assert (await call(client, "audit", {}))["whole"]
    print("mcp clients: two parallel tasks run to their ends, and their progress is reported")


asyncio.run(main(*sys.argv[1:]))
