"""The tea shop as a tool of a FastMCP server: over standard input, or over HTTP if a port is given."""

import sys

from fastmcp import FastMCP

from bot import Bot

fault = next((word.removeprefix("--fault=") for word in sys.argv if word.startswith("--fault=")), "")
port = next((int(word.removeprefix("--port=")) for word in sys.argv if word.startswith("--port=")), None)
server = FastMCP("tea")
shops = {}


@server.tool
def say(text: str, dialogue: str) -> dict:
    """Says something to the shop."""
    return shops.setdefault(dialogue, Bot(fault)).say(text)


if port is None:
    server.run(show_banner=False)
else:
    server.run(transport="http", host="127.0.0.1", port=port, show_banner=False)
