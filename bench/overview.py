#!/usr/bin/env python3
"""The overview of many experiments: how long `GET /v2/overview` takes at 5,000 experiments, on SQLite or PostgreSQL.

Makes the experiments through the API, some with a lot of code, then sends each kind of question over one connection, one after
the other, and prints the time until the whole answer has arrived, and the server's processor time for each. The server is to answer
within 20 ms; on a machine that does other work, too, look at the processor time. With `--debug` it is the
debug build, whose times say little.

For PostgreSQL: PG_FSYNC=on scripts/with-postgres bench/overview.py --database postgres
"""

import argparse
import json
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

GOAL_MS = 20


def experiment(number):
    code = f"document.title = {json.dumps('x' * 20_000)};" if number % 10 == 0 else ""
    return {
        "test_name": f"Checkout {number} {'ÄRGER' if number % 100 == 0 else 'shorter form'}",
        "url": f"https://shop.example/page-{number % 200}",
        "variants": [{"name": "Variant 1", "customJS": code}],
        "tags": [f"team-{number % 20}", "shop"],
        "status": (9, 1, 0)[number % 3],
    }


def seed(server, client, count, threads=8):
    def work(offset):
        connection = Connection(server, client)
        for number in range(offset, count, threads):
            connection.call("POST", f"{connection.base}/create-experiment", experiment(number))

    side_by_side(work, threads)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=5_000, help="experiments (5000)")
    options.add_argument("--requests", type=int, default=200, help="requests of each kind (200)")
    options.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    options.add_argument("--debug", action="store_true", help="the debug build")
    options = options.parse_args()
    serving.exit_on_signals()
    database = serving.fresh_database("muriel_overview") if options.database == "postgres" else None
    with tempfile.TemporaryDirectory(prefix="muriel-overview-") as folder:
        folder = Path(folder)
        data = folder / "data"
        data.mkdir()
        binary = serving.binary("debug" if options.debug else "release")
        with serving.Server(
            binary, data, folder / "log", database=database, options=["--log-level", "warn"]
        ) as server:
            client = server.client("Bench", "Bench")
            start = time.perf_counter()
            seed(server, client, options.count)
            print(f"{options.count} experiments made in {time.perf_counter() - start:.0f} s on {options.database}")
            connection = Connection(server, client)
            middle = json.loads(connection.call("GET", "/v2/overview?limit=500"))["next_cursor"]
            questions = {
                "first page": "",
                "500 of them": "?limit=500",
                "further on": f"?cursor={middle}" if middle else "",
                "by name": "?sort=test_name",
                "by days left": "?sort=days_left",
                "by days": "?sort=-days",
                "live": "?status=live&sort=-visitors",
                "search, a hundredth": f"?search={quote('ärger')}",
                "search, all": "?search=check",
                "search, none": "?search=nowhere%20at%20all",
                "everything at once": "?search=form&status=live,draft&tag=team-7&health=unknown&verdict=unknown&outcome=none",
            }
            print(f"{'':24}  {'total':>8}  {'p50 ms':>7}  {'p95 ms':>7}  {'p99 ms':>7}  {'CPU ms':>7}")
            worst, most = 0, 0
            for name, query in questions.items():
                times, used = [], usage.cpu_us([server.process.pid])
                for _ in range(options.requests):
                    start = time.perf_counter()
                    answer = connection.call("GET", f"/v2/overview{query}")
                    times.append((time.perf_counter() - start) * 1e3)
                p95 = percentile(times, 95)
                used = (usage.cpu_us([server.process.pid]) - used) / options.requests / 1e3
                if "500" not in name:
                    worst, most = max(worst, p95), max(most, used)
                print(f"{name:24}  {json.loads(answer)['total']:8}  {statistics.median(times):7.2f}  {p95:7.2f}  {percentile(times, 99):7.2f}  {used:7.2f}")
            print(f"pages of 50: the slowest p95 is {worst:.1f} ms of {GOAL_MS} ms; at most {most:.1f} ms of the processor each")
            sys.exit(worst > GOAL_MS)


main()
