"""The client of openapi-typescript and openapi-fetch: writes programs that use its types, checks them, and runs them.

openapi-typescript needs TypeScript 5. The programs are checked with TypeScript 7, which takes a sixth of the time.
"""

import json
import os
import re
import subprocess
from pathlib import Path

from compare import shape
from python_client import operations
from walk import Ref

HERE = Path(__file__).resolve().parent
OPTIONS = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "exactOptionalPropertyTypes": True,
    "target": "es2022",
    "module": "nodenext",
    "types": [],
    "lib": ["es2022", "dom", "dom.iterable"],
    "outDir": "built",
    "rootDir": ".",
}
# Errors of the type checker that a report shows.
MOST_ERRORS = 20


def expression(value):
    """A TypeScript expression for a value with references."""
    if isinstance(value, Ref):
        first, *rest = value.path.split(".")
        path = first + "".join(f"[{part}]!" if part.isdecimal() else f".{part}" for part in rest)
        if value.totp:
            return f"await code({path})"
        return f"after({path}, {json.dumps(value.after)})" if value.after else path
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)}: {expression(member)}" for name, member in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(expression, value)) + "]"
    return json.dumps(value)


def success(declaration):
    """The status of an operation's success."""
    return int(next(status for status in declaration["responses"] if status.startswith("2")))


def media_type(declaration, status):
    return next(iter(declaration["responses"][str(status)].get("content", {})), "")


def statement(step, method, path, declaration):
    """The call of a step, in TypeScript."""
    places = {of["name"]: of["in"] for of in declaration.get("parameters", [])}
    options, parameters = [], {}
    for name, value in step.parameters.items():
        parameters.setdefault(places[name], {})[name] = value
    if parameters:
        options.append(f"params: {expression(parameters)}")
    if step.body is not None:
        options.append(f"body: {expression(step.body)}")
    status = step.status or success(declaration)
    media = media_type(declaration, status)
    if media != "application/json":
        options.append('parseAs: "text"')
    called = f"{step.caller}.{method.upper()}({json.dumps(path)}, {{ {', '.join(options)} }})"
    kind = "answered" if status < 400 else "refused"
    assigned = f"const {step.name} = " if step.name else ""
    return f"  {assigned}await {kind}({json.dumps(step.operation)}, {status}, {json.dumps(media)}, {called});"


def write_walk(contract, walk, place):
    """Writes the calls of the walk, with the types of their parameters, bodies and answers."""
    known = operations(contract)
    head = 'import { after, answered, code, refused, start } from "./kit.js";\n\nconst { given, key, person, anyone, end } = start();\n'
    lines = [statement(step, *known[step.operation]) for step in walk]
    body = "\n".join(lines)
    (place / "walk.ts").write_text(f"{head}async function walk() {{\n{body}\n}}\n\nawait end(walk);\n")


def write_answers(exchanges, place):
    """Writes received answers as values of their generated types. Returns their number.

    An answer is left out if others of its operation have all of its fields, with the same types.
    """
    lines, seen = [], set()
    for one in exchanges:
        shapes = {(one["operation"], one["status"], part) for part in shape(one["body"])}
        if one["media"] != "application/json" or shapes <= seen:
            continue
        seen |= shapes
        kind = f'operations["{one["operation"]}"]["responses"][{one["status"]}]["content"]["application/json"]'
        lines.append(f"export const answer{len(lines)}: {kind} = {json.dumps(one['body'])};")
    (place / "answers.ts").write_text('import type { operations } from "./schema.js";\n\n' + "\n".join(lines) + "\n")
    return len(lines)


def prepare(contract_file, packages, place):
    """Generates the types, and makes the packages importable. Returns what the generator said if it failed."""
    place.mkdir(parents=True, exist_ok=True)
    modules = place / "node_modules"
    modules.unlink(missing_ok=True)
    modules.symlink_to(packages / "node_modules")
    (place / "package.json").write_text('{ "type": "module" }\n')
    (place / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "include": ["*.ts"]}))
    (place / "kit.ts").write_text((HERE / "kit.ts").read_text())
    cli = packages / "node_modules/openapi-typescript/bin/cli.js"
    # Without the option, a field of a request that has a default has to be sent.
    command = ["node", cli, contract_file, "-o", place / "schema.d.ts", "--default-non-nullable=false"]
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, cwd=place)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def compiled(packages, place):
    """Checks the types, and compiles the programs. Returns the errors."""
    command = ["node", packages / "node_modules/typescript-7/bin/tsc", "--project", place, "--pretty", "false"]
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, cwd=place)
    errors = [line for line in run.stdout.splitlines() if re.search(r"error TS\d+", line)]
    if run.returncode != 0 and not errors:
        errors = [f"ended with status {run.returncode}: {run.stdout[-1000:]}{run.stderr[-1000:]}"]
    return errors[:MOST_ERRORS]


def run_walk(place, given):
    """Runs the compiled calls. Returns their lines: `ok NAME` or `not ok NAME: PROBLEM`."""
    env = {**os.environ, "MURIEL_CLIENTS_GIVEN": json.dumps(given)}
    run = subprocess.run(["node", place / "built/walk.js"], env=env, capture_output=True, text=True, timeout=300)
    lines = run.stdout.splitlines()
    if run.returncode != 0:
        lines.append(f"not ok the program: it ended with status {run.returncode}: {run.stderr[-2000:]}")
    return lines
