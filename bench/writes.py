#!/usr/bin/env python3
"""Small writes beside large ones: what a PATCH with a 200 KiB script costs everybody else who writes meanwhile.

One client sends PATCHes with a script of 200 KiB, each with another text, one after the other. Others send small PATCHes
to experiments of their own. Printed for each program, round by round in turn: the latency of the small writes, writes per
second of either kind, and the server's CPU seconds. Compare two programs in one run (--before, --after): the ratios of
debug builds are as good as those of release builds only where both programs are built alike.
"""

import argparse
import http.client
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import serving

KIB = 1 << 10


def script(kibibytes, number):
    """JavaScript of about this size, with loops that need a guard. The text differs for each number."""
    line = "for (let i = 0; i < list.length; i++) { if (list[i].matches('.x')) { list[i].textContent = 'y' + i; } }\n"
    return f"const run = {number};\n" + line * (kibibytes * KIB // len(line))


def cpu(process):
    """CPU seconds that a process has used, user and system."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def experiment(client, name):
    body = {"test_name": name, "url": "https://shop.example/", "variants": [{"name": "Variant 1", "data": []}]}
    return client.call("POST", "/create-experiment", body)["test_id"]


class Writer(threading.Thread):
    """Sends one PATCH after the other until it is stopped, and records the duration of each."""

    def __init__(self, client, test_id, body, stop):
        super().__init__(daemon=True)
        self.client, self.test_id, self.body, self.stop = client, test_id, body, stop
        self.took, self.error = [], None

    def run(self):
        connection = http.client.HTTPConnection(self.client.address, timeout=60)
        headers = {"Authorization": f"Bearer {self.client.key}", "Content-Type": "application/json"}
        path = f"/v2/project/{self.client.project}/experiment/{self.test_id}"
        number = 0
        while not self.stop.is_set():
            number += 1
            text = json.dumps(self.body(number))
            start = time.perf_counter()
            connection.request("PATCH", path, text, headers)
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != 200:
                self.error = f"{answer.status} {content[:300]!r}"
                return
            self.took.append(time.perf_counter() - start)


def measured(program, options):
    """Measures a round: milliseconds of small writes, numbers of large and small writes, the server's CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with serving.Server(program, Path(folder) / "data", log) as server:
            client = server.client("Bench", "Shop")
            stop = threading.Event()
            large = Writer(client, experiment(client, "large"), lambda n: {"custom_js": script(options.kib, n)}, stop)
            small = [
                Writer(client, experiment(client, f"small {at}"), lambda n: {"test_name": f"small, changed {n} times"}, stop)
                for at in range(options.others)
            ]
            before = cpu(server.process)
            for writer in [large, *small]:
                writer.start()
            time.sleep(options.seconds)
            stop.set()
            for writer in [large, *small]:
                writer.join()
                if writer.error:
                    sys.exit(f"a write failed: {writer.error}")
            spent = cpu(server.process) - before
    return [took * 1_000 for writer in small for took in writer.took], large.took, spent


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(int(q * len(ordered)), len(ordered) - 1)]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--before", type=Path, help="the program to compare with")
    options.add_argument("--after", type=Path, help="the program (the built server of --profile)")
    options.add_argument("--profile", default="release", help="of the built server (release)")
    options.add_argument("--kib", type=int, default=200, help="KiB of the script (200)")
    options.add_argument("--others", type=int, default=4, help="clients that send small writes (4)")
    options.add_argument("--seconds", type=float, default=5, help="seconds of a round (5)")
    options.add_argument("--rounds", type=int, default=3, help="rounds (3)")
    options = options.parse_args()
    serving.exit_on_signals()
    serving.find_library()
    programs = {"after": options.after or serving.binary(options.profile)}
    if options.before:
        programs = {"before": options.before, **programs}
    rounds = {name: [] for name in programs}
    print("program   small p50 ms  p95 ms  p99 ms  small/s  large/s  CPU s  CPU ms/write")
    for _ in range(options.rounds):
        for name, program in programs.items():
            small, large, spent = measured(program, options)
            writes = len(small) + len(large)
            row = [quantile(small, q) for q in (0.5, 0.95, 0.99)]
            row += [len(small) / options.seconds, len(large) / options.seconds, spent, 1_000 * spent / max(writes, 1)]
            rounds[name].append(row)
            shown = "{:12.2f}  {:6.2f}  {:6.2f}  {:7.1f}  {:7.1f}  {:5.2f}  {:12.2f}".format(*row)
            print(f"{name:8}  {shown}", flush=True)
    if options.before:
        pairs = list(zip(rounds["before"], rounds["after"]))
        names = ["p50", "p95", "p99", "small/s", "large/s", "CPU", "CPU/write"]
        ratios = [statistics.median(after[at] / before[at] for before, after in pairs) for at in range(len(names))]
        told = ", ".join(f"{name} {ratio:.2f}" for name, ratio in zip(names, ratios))
        print(f"after / before, median of the rounds: {told}")


if __name__ == "__main__":
    main()
