"""Creates a project with a large suite for the flows of this repository: `generate.py BINARY FOLDER [SCENARIOS]`.

The turns come from existing scenarios, combined at random with a fixed seed. The expectations are the actual results of the
program. The suite uses all kinds of shared parts: defaults of a directory, shared turns, and cases as a list, as
combinations, as pairs and from a table.
"""

import json
import pathlib
import random
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parents[2]
FILE = 40  # scenarios per file


def run(fsmsim, folder, *arguments):
    done = subprocess.run([fsmsim, *arguments], cwd=folder, capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in (0, 1):
        sys.exit(f"{arguments}: {done.returncode}\n{done.stderr[:2000]}")
    return done.stdout


def trace(fsmsim, folder, file):
    done = subprocess.run([fsmsim, "trace", file], cwd=folder, capture_output=True, text=True, encoding="utf-8")
    return done.stdout if done.returncode == 0 else None


def pools(fsmsim, folder):
    """Turns of our scenarios by model and profile, without scenarios that need a provider or have a custom start."""
    listed = [json.loads(line) for line in run(fsmsim, folder, "list", "--format", "jsonl", "-E", "!asks()").splitlines()]
    found = {}
    for scenario in listed:
        if scenario["case"] or scenario["file"].endswith(".md"):
            continue
        found.setdefault(scenario["file"], set()).add(scenario["title"])
    pool = {}
    for file, titles in sorted(found.items()):
        key = None
        for line in run(fsmsim, folder, "trace", file).splitlines():
            line = json.loads(line)
            if "fsmsim_trace" in line:
                is_plain = line["dialogue"] in titles and not line.get("start") and line["signals"] == "derived"
                key = (line["machine"]["source"], line["machine"]["profile"]) if is_plain else None
                if key:
                    pool.setdefault(key, []).append([])
            elif "turn" in line and key:
                pool[key][-1].append(line["input"])
    return {key: [turns for turns in dialogues if turns] for key, dialogues in pool.items() if any(dialogues)}


def document(title, turns, **more):
    return json.dumps({"scenario": title, **more, "turns": turns}, ensure_ascii=False)


def main():
    fsmsim, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
    chance = random.Random(18)
    for part in ("flows", "states", "fixtures", "scenarios"):
        shutil.copytree(HERE / part, folder / part)
    (folder / "fsmsim.toml").write_text("")
    pool = pools(fsmsim, folder)
    shutil.rmtree(folder / "scenarios")
    keys = sorted(pool)
    dialogues = {key: [] for key in keys}
    for number in range(count):
        key = keys[number % len(keys)]
        begin, rest = (chance.choice(pool[key]) for _ in range(2))
        turns = begin[: chance.randint(1, 4)] + rest[: chance.randint(0, 3)]
        dialogues[key].append(turns)
    for place, key in enumerate(keys):
        model, profile = key
        area = folder / "scenarios" / f"{place:02}_{pathlib.Path(model).stem}"
        area.mkdir(parents=True)
        defaults = {"model": model, "profile": profile, "tags": [pathlib.Path(model).stem]}
        (area / "_defaults.yaml").write_text(json.dumps(defaults, ensure_ascii=False))
        opening = pool[key][0][0]
        (area / "opening.yaml").write_text(json.dumps({"turns": [opening]}, ensure_ascii=False))
        # Cases from a table, a list, combinations and pairs, all with the same shared opening.
        names = [f"n{number}" for number in range(3)]
        (area / "names.csv").write_text("\ufeffname;times\n" + "".join(f"{name};{at}\n" for at, name in enumerate(names)))
        cases = [
            ("Table {{name}} {{times}}", "./names.csv"),
            ("List {{name}}", [{"name": name} for name in names]),
            ("All {{a}} {{b}}", {"a": [1, 2], "b": ["x", "y"]}),
            ("Pairs {{a}} {{b}} {{c}}", {"pairwise": {"a": [1, 2], "b": ["x", "y"], "c": [True, False]}}),
        ]
        shared = [{"use": "./opening.yaml"}]
        invariants = {"never": [{"turn": 0}], "meta": {"owner": "team"}}
        texts = [document(title, shared, cases=case, **invariants) for title, case in cases]
        (area / "cases.yaml").write_text("\n---\n".join(texts) + "\n")
        written = dialogues[key]
        for first in range(0, len(written), FILE):
            texts = []
            for number, turns in enumerate(written[first : first + FILE], first):
                more = {"tags": ["smoke"]} if number % 10 == 0 else {}
                if number % 31 == 30:
                    more["skip"] = "not run here"
                texts.append(document(f"Dialogue {number}", turns, **more))
            (area / f"part_{first // FILE:02}.yaml").write_text("\n---\n".join(texts) + "\n")
    # The actual results become the expectations.
    report = {}
    key = None
    files = sorted((folder / "scenarios").glob("*/part_*.yaml"))
    traced = []
    for area in sorted({file.parent for file in files}):
        texts = [trace(fsmsim, folder, str(file.relative_to(folder))) for file in files if file.parent == area]
        if None in texts:
            # These dialogues need an external answer in the middle.
            shutil.rmtree(area)
        else:
            traced += texts
    for line in (line for trace in traced for line in trace.splitlines()):
        line = json.loads(line)
        if "fsmsim_trace" in line:
            key = (line["machine"]["source"], line["machine"]["profile"], line["dialogue"])
            report[key] = []
        elif "turn" in line:
            report[key].append({"state": line["state"]["to"], "class": line["class"], "violations": line["violations"]})
    for place, key in enumerate(keys):
        area = folder / "scenarios" / f"{place:02}_{pathlib.Path(key[0]).stem}"
        for file in sorted(area.glob("part_*.yaml")):
            texts = []
            for text in file.read_text(encoding="utf-8").split("\n---\n"):
                scenario = json.loads(text)
                expected = report.get((*key, scenario["scenario"]), [])
                for turn, expect in zip(scenario["turns"], expected):
                    turn["expect"] = expect
                texts.append(json.dumps(scenario, ensure_ascii=False))
            file.write_text("\n---\n".join(texts) + "\n")


main()
