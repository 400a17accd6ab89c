"""The official Python client asks its user for consent: with elicitation over a connection, and without a connection."""

import asyncio
import sys

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

PLAN = {"focus": "Курсовая", "steps": [{"day": "пн", "what": "Прочитать главу"}, {"day": "чт", "what": "Написать заметку"}], "today": "Открыть главу"}
# Each answer of the user with the expected state, the saved document and whether the result is an error.
ANSWERS = [
    (ElicitResult(action="accept", content={"write": True}), ("plan_save", "weekly_plan", False)),
    (ElicitResult(action="accept", content={"write": False}), ("plan_save", None, False)),
    (ElicitResult(action="decline"), ("plan_save", None, False)),
    (ElicitResult(action="cancel"), ("dt_consent", None, True)),
]


class User:
    def __init__(self):
        self.answers, self.asked = [], 0

    async def __call__(self, context, params):
        self.asked += 1
        return self.answers.pop(0)


async def walk(client, user):
    session = None
    for answer, expected in ANSWERS:
        user.answers = [answer]
        begun = await client.call_tool("get_instruction", {"new": True, **({"session": session} if session else {})})
        session = begun.structured_content["session"]
        await client.call_tool("get_instruction", {"state": "plan_invariants", "session": session})
        saved = await client.call_tool("get_instruction", {"state": "plan_save", "data": PLAN, "session": session})
        parts = saved.structured_content
        assert (parts["state"], parts["saved"], saved.is_error) == expected, (answer, saved)
    assert user.asked == len(ANSWERS), user.asked
    # The user has not consented yet. The claim of the assistant is not enough, so the server asks again.
    user.answers = [ElicitResult(action="accept", content={"write": True})]
    saved = await client.call_tool("get_instruction", {"state": "plan_save", "session": session})
    assert (saved.structured_content["saved"], user.asked) == ("weekly_plan", len(ANSWERS) + 1), saved


async def main(command, model, url, store):
    user = User()
    server = StdioServerParameters(command=command, args=["mcp", model, "--twin", f"{store}:bob"])
    async with stdio_client(server) as (read, write), ClientSession(read, write, elicitation_callback=user) as client:
        await client.initialize()
        await walk(client, user)
    user = User()
    async with Client(url, elicitation_callback=user) as client:
        await walk(client, user)
    print("mcp clients: users are asked for consent, with and without a connection")


asyncio.run(main(*sys.argv[1:]))
