#!/usr/bin/env python3
"""The programme of many concluded experiments: how long `GET /v2/programme` takes at 5,000 of them, on SQLite.

Makes the experiments through the API, stops the server, writes a conclusion with a result of two arms for each into the database, as
data for so many results would take hours to send, and starts the server again. Then it sends each kind of question over one
connection, one after the other, and prints the time until the whole answer has arrived, and the server's processor time for each.
The server is to answer within 250 ms. With `--debug` it is the debug build, in which only the statistics are optimised.
"""

import argparse
import json
import math
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import serving
import usage
from connection import Connection, percentile, side_by_side

GOAL_MS = 250
HYPOTHESES = 500
DAY_US = 86_400_000_000
# The manifest of the results is stored with each conclusion. It takes about this many bytes.
MANIFEST = json.dumps({"padding": "x" * 8_000})


def seed(server, client, count, threads=8):
    random_ = random.Random(0)
    connection = Connection(server, client)
    hypotheses = []
    for number in range(HYPOTHESES):
        ratings = {name: random_.randint(1, 5) for name in ("confidence", "importance", "difficulty")}
        made = connection.call("POST", f"{connection.base}/hypothesis", {"observation": f"Seen {number}", **ratings})
        hypotheses.append(json.loads(made)["hypothesis_id"])

    def work(offset):
        connection = Connection(server, client)
        for number in range(offset, count, threads):
            body = {
                "test_name": f"Checkout {number}",
                "url": f"https://shop.example/page-{number % 200}",
                "variants": [{"name": "Variant 1"}, {"name": "Variant 2"}],
                "hypothesis_id": hypotheses[number % HYPOTHESES],
            }
            connection.call("POST", f"{connection.base}/create-experiment", body)

    side_by_side(work, threads)


def arm(random_, number):
    std_error = 0.02 * math.exp(0.35 * random_.gauss(0, 1))
    true_lift = 0 if random_.random() < 0.6 else random_.gauss(0.005, 0.05)
    lift = true_lift + std_error * random_.gauss(0, 1)
    ends = [lift - 3 * std_error, lift + 3 * std_error]
    return {"arm": number, "lift": lift, "lift_interval": ends, "std_error": std_error}


def conclude(database):
    """Concludes all experiments, one every ten hours up to now."""
    random_ = random.Random(1)
    now = time.time_ns() // 1000
    with sqlite3.connect(database) as tx:
        ids = [row[0] for row in tx.execute("SELECT experiment_id FROM experiment ORDER BY experiment_id DESC")]
        for back, id_ in enumerate(ids):
            arms = [arm(random_, 1), arm(random_, 2)]
            best = max(arms, key=lambda it: it["lift"])
            won = best["lift"] > 3 * best["std_error"]
            outcome = "won" if won else "invalid" if back % 20 == 0 else "lost" if best["lift"] < 0 else "inconclusive"
            served = best["arm"] if won and back % 2 == 0 else None
            at = now - back * DAY_US * 10 // 24
            result = {"goal_key": "bought", "goal_name": "Bought", "visitors": 40_000, "is_trusted": True, "arms": arms}
            learned = f"Visitors number {back} read. " + ("STRASSE " if back % 100 == 0 else "") + "They leave again. " * 10
            tx.execute(
                "INSERT INTO conclusion (experiment_id, learned, concluded_by, manifest) VALUES (?, ?, 'Ada', ?)",
                (id_, learned, MANIFEST),
            )
            tx.execute("INSERT INTO conclusion_result VALUES (?, ?)", (id_, json.dumps(result)))
            tx.execute(
                "UPDATE experiment SET concluded_at = ?, outcome = ?, conclusion_note = 'As planned.' WHERE experiment_id = ?",
                (at, outcome, id_),
            )
            tx.execute(
                "UPDATE overview SET concluded_at = ?, outcome = ?, served_arm = ?, conclusion_search = ? WHERE experiment_id = ?",
                (at, outcome, served, learned.casefold(), id_),
            )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=5_000, help="concluded experiments (5000)")
    options.add_argument("--requests", type=int, default=50, help="requests of each kind (50)")
    options.add_argument("--debug", action="store_true", help="the debug build")
    options = options.parse_args()
    serving.exit_on_signals()
    with tempfile.TemporaryDirectory(prefix="muriel-programme-") as folder:
        folder = Path(folder)
        data = folder / "data"
        data.mkdir()
        binary = serving.binary("debug" if options.debug else "release")
        start = time.perf_counter()
        with serving.Server(binary, data, folder / "log", options=["--log-level", "warn"]) as server:
            client = server.client("Bench", "Bench")
            seed(server, client, options.count)
        conclude(data / "muriel.db")
        print(f"{options.count} experiments made and concluded in {time.perf_counter() - start:.0f} s")
        with serving.Server(binary, data, folder / "log", options=["--log-level", "warn"]) as server:
            worst = measure(server, client, options)
    print(f"the slowest p95 is {worst:.0f} ms of {GOAL_MS} ms")
    sys.exit(worst > GOAL_MS)


def measure(server, client, options):
    connection = Connection(server, client)
    first = json.loads(connection.call("GET", "/v2/programme"))
    total, learned_from = first["totals"]["concluded"], first["learned_from"]
    if total != options.count or not 0 < learned_from < total:
        sys.exit(f"{total} are concluded, {learned_from} are learned from")
    print(json.dumps(first["cumulative"]["won_or_served"]))
    questions = {
        "first page": "",
        "further on": f"?cursor={first['next_cursor']}",
        "200 of them": "?limit=200",
        "CSV, 1,000 of them": ".csv",
        "a year": "?from=2026-01-01&to=2027-01-01",
        "search, a hundredth": f"?search={quote('straße')}",
        "search, all": "?search=visitors",
    }
    print(f"{'':24}  {'p50 ms':>7}  {'p95 ms':>7}  {'CPU ms':>7}  {'KB':>7}")
    worst = 0
    for name, query in questions.items():
        times, used = [], usage.cpu_us([server.process.pid])
        for _ in range(options.requests):
            start = time.perf_counter()
            answer = connection.call("GET", f"/v2/programme{query}")
            times.append((time.perf_counter() - start) * 1e3)
        p95 = percentile(times, 95)
        used = (usage.cpu_us([server.process.pid]) - used) / options.requests / 1e3
        worst = max(worst, p95)
        print(f"{name:24}  {statistics.median(times):7.1f}  {p95:7.1f}  {used:7.1f}  {len(answer) / 1e3:7.1f}")
    return worst


main()
