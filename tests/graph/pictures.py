"""Checks the diagrams of models: `pictures.py FOLDER`. FOLDER contains NAME.html, NAME.svg, NAME.dot.svg (drawn by Graphviz) and
optionally NAME.mermaid.json (parsed by Mermaid). All SVG files must be XML and show the same states as the HTML page."""

import html
import json
import re
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

CARD = re.compile(r'<div class="card" id="state-\d+" data-state="([^"]*)"')
SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
NOTE = re.compile(r"from \d+ states")
SPACE = "{http://www.w3.org/2000/svg}"


def texts(svg, kind):
    """The lines of text in the nodes, edges or clusters of a Graphviz diagram."""
    of_kind = [group for group in svg.iter(f"{SPACE}g") if group.get("class") == kind]
    # Graphviz draws repeated spaces as non-breaking spaces.
    return [(text.text or "").replace("\u00a0", " ") for group in of_kind for text in group.iter(f"{SPACE}text")]


def differences(what, drawn, wanted):
    """Messages about extra and missing texts."""
    drawn, wanted = Counter(filter(None, drawn)), Counter(filter(None, wanted))
    for text in (drawn - wanted).keys():
        yield f"extra {what}: {text!r}"
    for text in (wanted - drawn).keys():
        yield f"missing {what}: {text!r}"


def errors(folder, name):
    """The errors in the diagrams of a model, and its number of states."""
    page = (folder / f"{name}.html").read_text()
    states = [html.unescape(state) for state in CARD.findall(page)]
    if not states:
        return ["no state on the page"], 0
    found = []
    drawn = {"svg": (folder / f"{name}.svg").read_text()}
    drawn |= {f"svg {number} of the page": svg for number, svg in enumerate(SVG.findall(page), 1)}
    if len(drawn) == 1:
        found.append("no diagram on the page")
    for what, text in drawn.items():
        try:
            ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            found.append(f"{what}: invalid XML, {error}")
    graphviz = ElementTree.parse(folder / f"{name}.dot.svg").getroot()
    nodes = [text for text in texts(graphviz, "node") if not NOTE.fullmatch(text)]
    found += differences("state in Graphviz", nodes, states)
    mermaid = folder / f"{name}.mermaid.json"
    if mermaid.exists():
        seen = json.loads(mermaid.read_text())
        # Two independent parsers must find the same texts, including notes and transitions.
        found += differences("state in Mermaid", seen["states"], texts(graphviz, "node"))
        found += differences("transition in Mermaid", seen["ways"], texts(graphviz, "edge"))
        found += differences("phase in Mermaid", seen["phases"], texts(graphviz, "cluster"))
    return found, len(states)


def main():
    """Checks all models and prints the errors."""
    folder = Path(sys.argv[1])
    models = sorted(page.name.removesuffix(".html") for page in folder.glob("*.html"))
    bad = count = 0
    for name in models:
        found, states = errors(folder, name)
        count += states
        bad += len(found)
        for error in found:
            print(f"diagrams: {name}: {error}")
    print(f"diagrams: {len(models)} models, {count} states, {bad} errors")
    sys.exit(1 if bad or not models else 0)


main()
