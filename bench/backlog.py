#!/usr/bin/env python3
"""A large backlog: how long list, paging and search take in a project of 100,000 hypotheses, on SQLite.

Makes the hypotheses through the API, then sends each kind of question over one connection, one after the other, and prints
the time until the whole answer has arrived. `while writing` asks the same while another connection changes hypotheses.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import serving
from connection import Connection, percentile, side_by_side

WORDS = """visitors checkout basket price delivery returns review photo button headline form field mobile desktop search filter
category brand discount voucher newsletter account guest payment card invoice shipping size colour stock trust badge video chat
help question answer speed page image banner menu footer link list grid detail bundle gift wish compare recommend abandon""".split()


def sentence(random_, words):
    return " ".join(random_.choices(WORDS, k=words))


def hypothesis(random_, number):
    return {
        "observation": f"{sentence(random_, 18)} number {number}",
        "problem": sentence(random_, 14),
        "solution": f"{sentence(random_, 14)} STRASSE" if number % 1000 == 0 else sentence(random_, 15),
        "confidence": number % 5 + 1,
    }


def seed(server, client, count, threads=16):
    def work(offset):
        connection, random_ = Connection(server, client), random.Random(offset)
        for number in range(offset, count, threads):
            connection.call("POST", f"{connection.base}/hypothesis", hypothesis(random_, number))

    side_by_side(work, threads)


def measured(connection, path, requests):
    times = []
    for _ in range(requests):
        start = time.perf_counter()
        answer = connection.call("GET", connection.base + path)
        times.append((time.perf_counter() - start) * 1e3)
    return times, json.loads(answer)["total"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=100_000, help="hypotheses (100000)")
    options.add_argument("--requests", type=int, default=300, help="requests of each kind (300)")
    options = options.parse_args()
    serving.exit_on_signals()
    with tempfile.TemporaryDirectory(prefix="muriel-backlog-") as folder:
        folder = Path(folder)
        data = folder / "data"
        data.mkdir()
        with serving.Server(
            serving.binary("release"), data, folder / "log", options=["--log-level", "warn"]
        ) as server:
            client = server.client("Bench", "Bench")
            start = time.perf_counter()
            seed(server, client, options.count)
            print(f"{options.count} hypotheses made in {time.perf_counter() - start:.0f} s")
            questions = {
                "list, first page": "/hypotheses",
                "list, 200 of them": "/hypotheses?limit=200",
                "list, middle": f"/hypotheses?offset={options.count // 2}",
                "list, last page": f"/hypotheses?offset={options.count - 50}",
                "search, in one": f"/hypotheses?search={quote(f'number {options.count // 2 + 7}')}",
                "search, in a thousandth": f"/hypotheses?search={quote('straße')}",
                "search, in nearly all": "/hypotheses?search=re",
                "search, two letters": "/hypotheses?search=Re",
                "search, last page of it": f"/hypotheses?search=re&offset={options.count - 50}",
                "search, in none": "/hypotheses?search=nowhere%20at%20all",
            }
            connection = Connection(server, client)
            start = time.perf_counter()
            connection.call("GET", f"{connection.base}/hypotheses?search=warm")
            print(f"the first search, which reads all texts, took {(time.perf_counter() - start) * 1e3:.0f} ms\n")
            for writing in (False, True):
                report(server, client, connection, questions, options.requests, writing)


def report(server, client, connection, questions, requests, writing):
    done = threading.Event()

    def write():
        writer, number = Connection(server, client), 0
        while not done.is_set():
            number += 1
            writer.call("PATCH", f"{writer.base}/hypothesis/{number % 1000 + 1}", {"problem": f"changed {number}"})
            done.wait(0.005)

    worker = threading.Thread(target=write)
    if writing:
        worker.start()
    print(f"{'while writing' if writing else 'alone':24}  {'total':>8}  {'p50 ms':>7}  {'p99 ms':>7}")
    everything = []
    for name, path in questions.items():
        times, total = measured(connection, path, requests)
        everything += times
        print(f"{name:24}  {total:8}  {statistics.median(times):7.2f}  {percentile(times, 99):7.2f}")
    print(f"{'all of them':24}  {'':8}  {statistics.median(everything):7.2f}  {percentile(everything, 99):7.2f}\n")
    done.set()
    if writing:
        worker.join()


main()
