"""A client in Rust, which progenitor generates.

progenitor reads OpenAPI 3.0 only, so the contract is converted. What 3.0 can say in its own way is kept. These parts are
changed, because progenitor ends with an error for each of them:

- an enumeration with words of symbols, such as `>=`, becomes a text;
- of several content types of a request, the first stays; an operation that takes lines of JSON is left out;
- of the good answers of an operation, the one with a body stays, without `304` and redirects;
- all errors of an operation have one type, that of its first error.
"""

import json
import os
import subprocess
from pathlib import Path

from compare import difference
from python_client import METHODS, operations

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def schema_of_3_0(node):
    """Converts all schemas within a part of the contract."""
    if isinstance(node, list):
        return [schema_of_3_0(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {name: schema_of_3_0(member) for name, member in node.items()}
    for limit in ("minimum", "maximum"):
        exclusive = f"exclusive{limit.capitalize()}"
        if isinstance(node.get(exclusive), (int, float)):
            node |= {limit: node[exclusive], exclusive: True}
    if isinstance(node.get("type"), list):
        types = [kind for kind in node.pop("type") if kind != "null"]
        node |= {"nullable": True} | ({"type": types[0]} if len(types) == 1 else {"oneOf": [{"type": kind} for kind in types]})
    for word in ("oneOf", "anyOf"):
        if {"type": "null"} in node.get(word, []):
            others = [one for one in node.pop(word) if one != {"type": "null"}]
            node |= {"nullable": True} | ({"allOf": others} if len(others) == 1 else {word: others})
    words = node.get("enum", [])
    if not all(any(letter.isalnum() for letter in str(word)) for word in words):
        del node["enum"]
    node.pop("propertyNames", None)
    return node


def of_3_0(contract):
    """The contract in OpenAPI 3.0, without what progenitor cannot read."""
    contract = schema_of_3_0(contract) | {"openapi": "3.0.3"}
    for item in contract["paths"].values():
        for method in METHODS:
            operation = item.get(method, {})
            contents = operation.get("requestBody", {}).get("content", {})
            if contents and "application/json" not in contents:
                del item[method]
                continue
            for name in [name for name in contents if name != "application/json"]:
                del contents[name]
            answers = operation.get("responses", {})
            errors = [status for status in answers if status >= "4"]
            for status in errors[1:]:
                answers[status] = answers[errors[0]]
            for status in [status for status in answers if status.startswith("3") and len(answers) > len(errors) + 1]:
                del answers[status]
    return contract


def check(report, contract, exchanges, values, place):
    """Generates and compiles the client. It reads the received answers, and makes some calls."""
    place.mkdir(parents=True, exist_ok=True)
    document, answers = place / "openapi-3.0.json", place / "answers.tsv"
    document.write_text(json.dumps(of_3_0(contract)))
    known, sent = operations(contract), []
    for one in exchanges:
        declared = known[one["operation"]][2]["responses"][str(one["status"])].get("content", {})
        name = declared.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
        if name:
            sent.append((one, name))
    answers.write_text("".join(f"{name}\t{json.dumps(one['body'])}\n" for one, name in sent))
    env = {
        **os.environ,
        "MURIEL_OPENAPI_30": str(document),
        "MURIEL_ANSWERS": str(answers),
        "MURIEL_URL": values["url"],
        "MURIEL_KEY": values["headers"]["key"]["Authorization"].removeprefix("Bearer "),
        "MURIEL_PROJECT": values["project"],
        "CARGO_TARGET_DIR": str(place / "target"),
    }
    command = ["cargo", "run", "--quiet", "--locked", "--manifest-path", HERE / "rust/Cargo.toml"]
    run = subprocess.run([str(part) for part in command], env=env, cwd=HERE, capture_output=True, text=True, timeout=3600)
    report.check("Rust: the client is generated, and ends", run.returncode == 0, f"{run.returncode}: {run.stderr[-3000:]}")
    lines = run.stdout.splitlines()
    for (one, name), line in zip(sent, lines, strict=False):
        state, _, text = line.partition("\t")
        # An optional member that is null or empty and a missing one are equal in the generated types.
        problem = difference(one["body"], json.loads(text), empty_is_absent=True) if state == "ok" else text
        report.check(f"Rust: {one['operation']} {one['status']}, {name}", not problem, problem)
    calls = lines[len(sent) :]
    report.check("Rust: three calls are right", [line.partition("\t")[0] for line in calls] == ["ok"] * 3, calls)
