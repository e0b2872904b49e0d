"""The result of a rig: its last line, and the same counts as JSON for scripts."""

import json
import sys
import time
from pathlib import Path


def option(name):
    """Removes an option with its value from the command line. Returns the value, or None."""
    if name not in sys.argv:
        return None
    at = sys.argv.index(name)
    if at + 1 == len(sys.argv):
        sys.exit(f"{name} needs a value")
    value = sys.argv[at + 1]
    del sys.argv[at : at + 2]
    return value


def flag(name):
    """Removes a flag from the command line. Returns whether it was there."""
    found = name in sys.argv
    if found:
        sys.argv.remove(name)
    return found


class Report:
    """Counts what passes and fails in a rig; `--report FILE` on the command line writes the counts to a file as JSON.

    A context manager whose body is the rig. At its end the line `name: N passed, N failed` is printed, and the script ends with
    status 1 if anything failed or nothing passed. A body that ends early, by an exception or by `sys.exit`, is one more failure.
    """

    def __init__(self, name):
        path = option("--report")
        self.path = Path(path).resolve() if path else None
        # `file` names the rig in the report, and distinguishes several runs of it.
        self.name = self.file = name
        self.passed = self.failed = 0
        self.failures = []

    def count(self, passed, failed):
        self.passed, self.failed = self.passed + passed, self.failed + failed

    def failure(self, test, message):
        """Stores the message of a failure for the report; `count` counts it."""
        self.failures.append({"test": test, "message": str(message)})

    def check(self, test, holds, message=""):
        """Counts one check, and prints a line if it failed. Returns whether it holds."""
        self.count(bool(holds), not holds)
        if not holds:
            print(f"FAILED {test}{': ' if message != '' else ''}{message}", flush=True)
            self.failure(test, message)
        return holds

    def __enter__(self):
        self.begun = time.monotonic()
        return self

    def __exit__(self, kind, error, _traceback):
        code = error.code if kind is SystemExit else error
        # A signal stopped the rig (`serving.exit_on_signals`), so it has no result.
        if kind is KeyboardInterrupt or (isinstance(code, int) and code > 128):
            return
        if kind is not None:
            self.count(0, 1)
            self.failure(self.file, f"ended early: {code!r}")
        if self.path:
            self._write()
        print(f"{self.name}: {self.passed} passed, {self.failed} failed", flush=True)
        if kind is None:
            sys.exit(1 if self.failed or not self.passed else 0)

    def _write(self):
        counts = {"passed": self.passed, "failed": self.failed, "skipped": 0}
        file = {"file": self.file, "seconds": round(time.monotonic() - self.begun, 1), **counts}
        report = {"name": self.name, **counts, "files": [file], "failures": self.failures}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(report, indent=1) + "\n")
