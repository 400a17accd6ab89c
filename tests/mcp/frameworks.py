"""Agents of three frameworks, each with a scripted model, save a plan with the student assistant, twice in one process."""

import asyncio
import json
import re
import sqlite3
import sys
import uuid

from agents import Agent as OpenAgent
from agents import Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_mcp_adapters.client import MultiServerMCPClient
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.messages import TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

TOOL = "get_instruction"
ASKED = "Хочу план на неделю"


def steps(focus):
    days = [{"day": "пн", "what": "Прочитать главу", "pomodoros": 2}, {"day": "чт", "what": "Написать заметку"}]
    plan = {"focus": focus, "steps": days, "today": "Открыть главу"}
    return [
        {"new": True, "said": ASKED},
        # The user is asked for consent first and agrees.
        {"state": "plan_entry"},
        {"state": "plan_entry", "said": "Да, читай"},
        {"state": "plan_by_days", "reply": "Ради чего эта неделя?", "said": "Ради курсовой"},
        {"state": "plan_invariants"},
        # The model gets an error for an invalid plan, and nothing changes.
        {"state": "plan_save", "data": {"focus": focus}},
        {"state": "plan_save", "data": plan},
        {"state": "plan_save", "said": "Да, сохрани"},
    ]


def next_call(focus, answers):
    """The next tool call of a model after these answers, with the session ID from the answers. `None` at the end."""
    script = steps(focus)
    if len(answers) == len(script):
        assert "`weekly_plan` is saved." in answers[-1], answers[-1]
        assert "does not match the schema of `plan_save`" in answers[5], answers[5]
        return None
    step = dict(script[len(answers)])
    sessions = re.findall(r"Session: ([0-9a-f]{32})\.", "\n".join(answers))
    if sessions:
        assert len(set(sessions)) == 1, sessions
        step["session"] = sessions[-1]
    return step


class Scripted(Model):
    """A model of openai-agents."""

    def __init__(self, focus):
        self.focus = focus

    async def get_response(self, system_instructions, input, *rest, **more):
        answers = [text_of(item["output"]) for item in input if isinstance(item, dict) and item.get("type") == "function_call_output"]
        call = next_call(self.focus, answers)
        if call is None:
            part = ResponseOutputText(text="Готово", type="output_text", annotations=[])
            output = ResponseOutputMessage(id="m", content=[part], role="assistant", status="completed", type="message")
        else:
            arguments = json.dumps(call, ensure_ascii=False)
            output = ResponseFunctionToolCall(call_id=uuid.uuid4().hex, name=TOOL, arguments=arguments, type="function_call")
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *rest, **more):
        raise NotImplementedError


def text_of(output):
    if isinstance(output, str):
        try:
            output = json.loads(output)
        except ValueError:
            return output
    parts = output if isinstance(output, list) else [output]
    return "\n".join(part if isinstance(part, str) else part.get("text", "") for part in parts)


async def openai_agents(url, focus):
    async with MCPServerStreamableHttp(params={"url": url}, cache_tools_list=True) as server:
        agent = OpenAgent(name="student", model=Scripted(focus), mcp_servers=[server])
        result = await Runner.run(agent, ASKED, max_turns=20)
    assert result.final_output == "Готово", result


async def pydantic_ai(url, focus):
    def scripted(messages, info):
        assert [tool.name for tool in info.function_tools] == [TOOL], info
        parts = [part for message in messages for part in message.parts]
        returned = [part for part in parts if part.part_kind in ("tool-return", "retry-prompt")]
        call = next_call(focus, [str(part.content) for part in returned])
        return PydanticResponse(parts=[TextPart("Готово") if call is None else ToolCallPart(TOOL, call)])

    # By default this framework gives its model the structured result. This test uses the text, like the other frameworks.
    async def text_only(context, call, name, arguments):
        result = await call(name, arguments)
        return result if isinstance(result, str) else f"{result.get('note')}\nSession: {result['session']}."

    toolset = MCPToolset(url, process_tool_call=text_only)
    async with PydanticAgent(FunctionModel(scripted), toolsets=[toolset]) as agent:
        result = await agent.run(ASKED)
    assert result.output == "Готово", result


class Chat(BaseChatModel):
    """A chat model of LangChain."""

    focus: str

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **more):
        assert [tool.name for tool in tools] == [TOOL], tools
        return self

    def _generate(self, messages, stop=None, run_manager=None, **more):
        answers = [text_of(message.content) for message in messages if isinstance(message, ToolMessage)]
        call = next_call(self.focus, answers)
        calls = [] if call is None else [{"name": TOOL, "args": call, "id": uuid.uuid4().hex}]
        message = AIMessage(content="" if calls else "Готово", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


async def langchain(url, focus):
    # It opens a connection for every call, so only the session ID identifies the dialogue.
    client = MultiServerMCPClient({"student": {"url": url, "transport": "streamable_http"}}, handle_tool_errors=True)
    agent = create_agent(Chat(focus=focus), await client.get_tools())
    result = await agent.ainvoke({"messages": [("user", ASKED)]}, {"recursion_limit": 50})
    assert result["messages"][-1].content == "Готово", result


async def main(url, store):
    set_tracing_disabled(True)
    for walk in (openai_agents, pydantic_ai, langchain):
        for number in ("first", "second"):
            focus = f"{walk.__name__}, {number}"
            await walk(url, focus)
            with sqlite3.connect(store) as database:
                [(saved,)] = database.execute("SELECT value FROM documents WHERE user = 'ann' AND key = 'weekly_plan'")
            assert json.loads(saved)["focus"] == focus, saved
    print("mcp clients: agents of three frameworks save a plan, twice each")


asyncio.run(main(*sys.argv[1:]))
