"""Extensions of schemathesis.

Real ids in place of generated ones: the coverage phase goes through the bodies one constraint at a time, but takes path
parameters from the schema only. With an id that does not exist, every response would be 404, and no body would be
checked.

JSON lines: the schema is a list, whose items are the lines.
"""

import json
import os
from itertools import count

import schemathesis

JUDGED_ONE_BY_ONE = {"POST /events/{project_key}", "POST /events/{project_key}/batch"}
IDS = json.loads(os.environ["MURIEL_CONTRACT_IDS"])
turn = count()


@schemathesis.serializer("application/x-ndjson")
def to_lines(context, value):
    lines = value if isinstance(value, list) else [value]
    return "".join(json.dumps(line) + "\n" for line in lines).encode("utf-8", "surrogatepass")


@schemathesis.deserializer("application/x-ndjson")
def from_lines(context, response):
    if not response.content.endswith(b"\n"):
        raise ValueError("the last line has no line feed")
    return [json.loads(line) for line in response.content.decode().split("\n")[:-1]]


def outcomes(response):
    """The outcomes of all events in a response, which has one body or lines."""
    for line in response.content.decode().splitlines():
        answer = json.loads(line)
        yield from answer.get("results", [answer])


@schemathesis.check
def events_that_do_not_fit_are_told(context, response, case):
    if response.status_code != 200 or case.operation.label not in JUDGED_ONE_BY_ONE or case.meta is None:
        return
    body = case.meta.components.get("body")
    if body is None or body.mode.value != "negative":
        return
    told = any(outcome["status"] == "invalid" or outcome.get("note") for outcome in outcomes(response))
    assert told, "a body that does not fit the schema was taken without a word"


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.phase.name != "coverage":
        return
    # A request that tests a bad path keeps the path.
    path = case.meta.components.get("path")
    if path is not None and path.mode.value == "negative":
        return
    doom = "doomed_" if case.method.upper() == "DELETE" else ""
    for name in case.path_parameters or {}:
        if values := IDS.get(doom + name):
            case.path_parameters[name] = values[next(turn) % len(values)]
