"""Real ids where schemathesis puts made-up ones.

Its coverage phase walks through the bodies one constraint at a time, but takes path parameters from the schema alone: with
an id that does not exist every answer would be 404 and no body would ever be looked at.
"""

import json
import os
from itertools import count

import schemathesis

IDS = json.loads(os.environ["MURIEL_CONTRACT_IDS"])
turn = count()


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.phase.name != "coverage":
        return
    # A request that is about a bad path keeps it.
    path = case.meta.components.get("path")
    if path is not None and path.mode.value == "negative":
        return
    doom = "doomed_" if case.method.upper() == "DELETE" else ""
    for name in case.path_parameters or {}:
        if values := IDS.get(doom + name):
            case.path_parameters[name] = values[next(turn) % len(values)]
