"""Results of tests, read from the reports of the suite's parts, and their sums."""

import contextlib
import json


class Result:
    """Counts of tests, seconds of files, and failures."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.files = {}
        self.failures = []

    def add(self, file, event, seconds=0.0):
        """Counts one test. `event` is `passed`, `failed` or `skipped`."""
        setattr(self, event, getattr(self, event) + 1)
        self.files[file] = self.files.get(file, 0.0) + seconds

    def join(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures
        for file, seconds in other.files.items():
            self.files[file] = self.files.get(file, 0.0) + seconds

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def from_libtest(part, lines):
    """Reads libtest's JSON: `ok`, `failed` and `ignored` tests with their seconds."""
    result, ended = Result(), False
    words = {"ok": "passed", "failed": "failed", "ignored": "skipped"}
    for line in lines:
        if not line.startswith("{"):
            continue
        with contextlib.suppress(json.JSONDecodeError):
            entry = json.loads(line)
            if entry.get("type") == "suite" and entry.get("event") in ("ok", "failed"):
                ended = True
            if entry.get("type") != "test" or entry.get("event") not in words:
                continue
            # Tests of one program are grouped by their module.
            module = entry["name"].split("::")[0] if "::" in entry["name"] else ""
            event = words[entry["event"]]
            result.add("::".join(filter(None, [part.place, module])), event, entry.get("exec_time", 0.0))
            if event == "failed":
                result.failures.append((entry["name"], entry.get("stdout") or entry.get("reason") or "no output"))
    return result if ended else None


def from_report(part, path):
    """Reads the report of a part, or returns None if it has written none."""
    try:
        report = json.loads(path.read_text())
    except (OSError, json.JSONDecodeError):
        return None
    result = Result()
    for what in ("passed", "failed", "skipped"):
        setattr(result, what, report[what])
    result.files = {f"{part.name}: {one['file']}" if one["file"] != part.name else part.name: one["seconds"] for one in report["files"]}
    result.failures = [(one["test"], one["message"]) for one in report["failures"]]
    return result
