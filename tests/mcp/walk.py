"""The official Python client against the server: lists the tool, walks a branch over both wires, two clients at once."""

import asyncio
import sys

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

TEST = [None, "test_start", "test_questions", "assess_stage"]
BLOCKER = [None, "blocker_debug", "meme_experiment"]


async def walk(client, states, session=None):
    """Calls the tool state by state; where it led each time, and the session."""
    tools = await client.list_tools()
    assert [tool.name for tool in tools.tools] == ["get_instruction"], tools
    reached = []
    for state in states:
        arguments = {"state": state} if state else {}
        if session is not None and reached:
            arguments["session"] = session
        answer = await client.call_tool("get_instruction", arguments)
        assert not answer.is_error, answer
        parts = answer.structured_content
        assert parts["instruction"] in answer.content[0].text
        reached.append(parts["state"])
        session = parts["session"] if session is not None else None
        # The other client has its turn.
        await asyncio.sleep(0.01)
    assert reached == [state or "init" for state in states], reached


async def over_stdio(command, model, states):
    server = StdioServerParameters(command=command, args=["mcp", model, "--strict"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
        await client.initialize()
        await walk(client, states)
        refused = await client.call_tool("get_instruction", {"state": "plan_save"})
        assert refused.is_error and refused.structured_content["class"] == "blocked", refused
        assert len((await client.list_resources()).resources) > 10


async def older(url, states):
    """A client that keeps a connection: the server knows its dialogue by that."""
    async with streamable_http_client(url) as streams:
        async with ClientSession(streams[0], streams[1]) as client:
            await client.initialize()
            await walk(client, states)


async def newer(url, states):
    """A client that keeps none: it says itself which dialogue it means."""
    async with Client(url) as client:
        await walk(client, states, session="")


async def main(command, model, url):
    await asyncio.gather(over_stdio(command, model, TEST), over_stdio(command, model, BLOCKER))
    print("mcp clients: two over standard input and output keep two states")
    await asyncio.gather(older(url, TEST), older(url, BLOCKER), newer(url, TEST), newer(url, BLOCKER))
    print("mcp clients: four over HTTP keep four states")


asyncio.run(main(*sys.argv[1:]))
