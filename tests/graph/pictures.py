"""What is drawn of models: `pictures.py FOLDER`, where FOLDER holds NAME.html, NAME.svg, NAME.dot.svg as Graphviz drew it, and perhaps
NAME.mermaid.json as Mermaid read it. All of them are XML, and name the states that the page of the model names."""

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
    """The lines of text in what Graphviz drew of one kind, nodes, edges or clusters."""
    of_kind = [group for group in svg.iter(f"{SPACE}g") if group.get("class") == kind]
    # Blanks in a row are drawn as blanks that do not break.
    return [(text.text or "").replace("\u00a0", " ") for group in of_kind for text in group.iter(f"{SPACE}text")]


def differences(what, drawn, wanted):
    """What is too much, and what is missing."""
    drawn, wanted = Counter(filter(None, drawn)), Counter(filter(None, wanted))
    for text in (drawn - wanted).keys():
        yield f"{what} too much: {text!r}"
    for text in (wanted - drawn).keys():
        yield f"{what} missing: {text!r}"


def faults(folder, name):
    """What is wrong with the pictures of a model, and how many states they show."""
    page = (folder / f"{name}.html").read_text()
    states = [html.unescape(state) for state in CARD.findall(page)]
    if not states:
        return ["no state on the page"], 0
    found = []
    drawn = {"svg": (folder / f"{name}.svg").read_text()}
    drawn |= {f"svg {number} of the page": svg for number, svg in enumerate(SVG.findall(page), 1)}
    if len(drawn) == 1:
        found.append("no picture on the page")
    for what, text in drawn.items():
        try:
            ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            found.append(f"{what}: no XML, {error}")
    graphviz = ElementTree.parse(folder / f"{name}.dot.svg").getroot()
    nodes = [text for text in texts(graphviz, "node") if not NOTE.fullmatch(text)]
    found += differences("Graphviz: state", nodes, states)
    mermaid = folder / f"{name}.mermaid.json"
    if mermaid.exists():
        seen = json.loads(mermaid.read_text())
        # Two readers that know nothing of each other read the same, down to each note and each way.
        found += differences("Mermaid: state", seen["states"], texts(graphviz, "node"))
        found += differences("Mermaid: way", seen["ways"], texts(graphviz, "edge"))
        found += differences("Mermaid: phase", seen["phases"], texts(graphviz, "cluster"))
    return found, len(states)


def main():
    """Looks at all models, and tells what is wrong."""
    folder = Path(sys.argv[1])
    models = sorted(page.name.removesuffix(".html") for page in folder.glob("*.html"))
    bad = count = 0
    for name in models:
        found, states = faults(folder, name)
        count += states
        bad += len(found)
        for fault in found:
            print(f"pictures: {name}: {fault}")
    print(f"pictures: {len(models)} models, {count} states, {bad} faults")
    sys.exit(1 if bad or not models else 0)


main()
