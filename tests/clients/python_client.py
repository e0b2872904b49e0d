"""The client that openapi-python-client generates for the contract."""

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import typing
from datetime import date
from enum import Enum

from compare import difference

METHODS = ("get", "put", "post", "delete", "patch")
PACKAGE = "muriel_client"


def operations(contract):
    """The operations of the contract by id: method, path and declaration."""
    return {
        of["operationId"]: (method, path, of)
        for path, item in contract["paths"].items()
        for method, of in item.items()
        if method in METHODS
    }


def generate(contract, place, site):
    """Generates the package into the folder `place`. Returns the generator's warnings."""
    config = place / "openapi-python-client.json"
    # Without formatting, which would take most of the time.
    config.write_text(json.dumps({"post_hooks": []}))
    command = [
        sys.executable, "-m", "openapi_python_client", "generate",
        "--path", contract, "--output-path", place / PACKAGE, "--meta", "none", "--config", config, "--overwrite",
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(site), "NO_COLOR": "1", "COLUMNS": "200"}
    run = subprocess.run([str(part) for part in command], env=env, capture_output=True, text=True, timeout=300)
    said = run.stdout + run.stderr
    # The generator ends well when it has left an operation or a schema out.
    parts = re.split(r"(?m)^(?=WARNING |ERROR )", said)
    warnings = [" ".join(part.split("If you believe")[0].split())[:500] for part in parts[1:]]
    if run.returncode != 0:
        warnings.append(f"ended with status {run.returncode}: {said[-2000:]}")
    return warnings


def value_for(hint, value):
    """Converts a JSON value to the type that the generated function takes."""
    for kind in typing.get_args(hint) or (hint,):
        if isinstance(kind, type) and issubclass(kind, Enum):
            return kind(value)
        if kind is date:
            return date.fromisoformat(value)
    return value


def written(parsed):
    """The JSON value that a generated model writes."""
    if isinstance(parsed, list):
        return [written(item) for item in parsed]
    if isinstance(parsed, Enum):
        return parsed.value
    return parsed.to_dict() if hasattr(parsed, "to_dict") else parsed


class PythonClient:
    """Calls operations with the generated functions, and checks each answer."""

    def __init__(self, contract, url, callers):
        """`callers` has the headers of each caller."""
        from openapi_python_client.strings import PythonIdentifier

        self.identifier = lambda name: str(PythonIdentifier(name, prefix="field_"))
        self.operations = operations(contract)
        client = importlib.import_module(f"{PACKAGE}.client")
        self.callers = {name: client.Client(base_url=url, headers=headers, timeout=60) for name, headers in callers.items()}

    def function(self, operation):
        """The generated module of an operation."""
        tag = self.operations[operation][2]["tags"][0]
        return importlib.import_module(f"{PACKAGE}.api.{self.identifier(tag)}.{self.identifier(operation)}")

    def call(self, operation, caller, parameters, body):
        """Returns the response, and a description of each problem."""
        module = self.function(operation)
        hints = typing.get_type_hints(module._get_kwargs)
        arguments, problems = {}, []
        for name, value in parameters.items():
            arguments[self.identifier(name)] = value_for(hints[self.identifier(name)], value)
        if body is not None:
            kind = next(kind for kind in typing.get_args(hints["body"]) or (hints["body"],) if hasattr(kind, "from_dict"))
            arguments["body"] = kind.from_dict(body)
            if found := difference(body, arguments["body"].to_dict()):
                problems.append(f"the body: {found}")
        known = inspect.signature(module.sync_detailed).parameters
        if "client" in known:
            arguments["client"] = self.callers[caller]
        response = module.sync_detailed(**arguments)
        return response, problems

    def checked(self, operation, caller, parameters, body, status):
        """Calls an operation. Returns the media type, the received value, and the problems."""
        response, problems = self.call(operation, caller, parameters, body)
        media = response.headers.get("content-type", "").partition(";")[0]
        if response.status_code != status:
            return media, None, [*problems, f"the status is {response.status_code}, not {status}: {response.content[:500]!r}"]
        is_json = media == "application/json"
        received = json.loads(response.content) if is_json else response.content.decode()
        if response.parsed is None and received != "":
            problems.append("the client has no type for the answer")
        elif found := difference(received, written(response.parsed) if received != "" else ""):
            problems.append(found)
        return media, received, problems
