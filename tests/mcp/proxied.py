"""The official Python client through nginx over TLS: each user has separate dialogues and data, and responses are not buffered."""

import asyncio
import json
import sqlite3
import ssl
import sys

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import ElicitResult

PLAN = {"focus": "Курсовая", "steps": [{"day": "пн", "what": "Прочитать главу"}, {"day": "чт", "what": "Написать заметку"}], "today": "Открыть главу"}


async def agree(context, params):
    """The user agrees. The question arrives while the call is still open, so nginx must not buffer the response."""
    asked.append(params.message)
    return ElicitResult(action="accept", content={"write": True})


asked = []


async def main(url, certificate, store):
    trusted = ssl.create_default_context(cafile=certificate)
    trusted.check_hostname = False

    def client(headers=None, timeout=None, auth=None):
        return httpx.AsyncClient(verify=trusted, headers=headers, timeout=timeout, auth=auth, trust_env=False)

    async def as_user(name, act):
        auth = httpx.BasicAuth(name, f"{name}-secret")
        # The server must ignore a user name that the client sets itself.
        headers = {"X-Forwarded-User": "root"}
        async with streamablehttp_client(url, headers=headers, auth=auth, httpx_client_factory=client) as (read, write, _):
            async with ClientSession(read, write, elicitation_callback=agree) as session:
                await session.initialize()
                return await act(lambda **arguments: session.call_tool("get_instruction", arguments))

    async def saves(call):
        await call(state="plan_invariants")
        answer = await call(state="plan_save", data=PLAN)
        assert answer.structuredContent["saved"] == "weekly_plan", answer
        return answer.structuredContent["session"]

    session = await as_user("ann", saves)
    assert len(asked) == 1 and "weekly_plan" in asked[0], asked

    async def intrudes(call):
        return (await call(session=session)).content[0].text, (await call(session="0" * 32)).content[0].text

    known, unknown = await as_user("bob", intrudes)
    assert known.replace(session, "") == unknown.replace("0" * 32, ""), (known, unknown)
    async with client() as anybody:
        assert (await anybody.post(url, json={})).status_code == 401
        assert (await anybody.post(url, json={}, auth=("ann", "guess"))).status_code == 401
        health = await anybody.get(url.replace("/mcp", "/health"))
        assert (health.status_code, health.text) == (200, '{"status":"ok"}'), health
    with sqlite3.connect(store) as database:
        saved = dict(database.execute("SELECT user, value FROM documents WHERE key = 'weekly_plan'"))
    assert {user: json.loads(value)["focus"] for user, value in saved.items()} == {"ann": "Курсовая"}, saved
    print("mcp clients: through nginx over TLS, users have separate dialogues and data, and are asked for consent")


asyncio.run(main(*sys.argv[1:]))
