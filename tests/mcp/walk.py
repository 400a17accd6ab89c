"""The official Python client lists the tool and follows a branch over both transports, with several clients in parallel."""

import asyncio
import sys

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

TEST = [None, "test_start", "test_questions", "assess_stage"]
BLOCKER = [None, "blocker_debug", "meme_experiment"]


async def walk(client, states, session=None):
    """Calls the tool for each state and checks the reached states."""
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
        # Let the other clients run.
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
    """A client with a persistent connection, which identifies its dialogue."""
    async with streamable_http_client(url) as streams:
        async with ClientSession(streams[0], streams[1]) as client:
            await client.initialize()
            await walk(client, states)


async def newer(url, states):
    """A client without a persistent connection: the session ID identifies its dialogue."""
    async with Client(url) as client:
        await walk(client, states, session="")


async def main(command, model, url):
    await asyncio.gather(over_stdio(command, model, TEST), over_stdio(command, model, BLOCKER))
    print("mcp clients: two clients over standard input and output have separate dialogues")
    await asyncio.gather(older(url, TEST), older(url, BLOCKER), newer(url, TEST), newer(url, BLOCKER))
    print("mcp clients: four clients over HTTP have separate dialogues")


asyncio.run(main(*sys.argv[1:]))
