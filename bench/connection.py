"""Code that benchmarks of single operations share: one connection for requests, work by threads, percentiles."""

import http.client
import json
import sys
import threading
from urllib.parse import urlsplit


class Connection:
    """A persistent connection with the client's key. `base` is the prefix of the paths of the client's project."""

    def __init__(self, server, client):
        address = urlsplit(server.url)
        self.http = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        self.base = f"/v2/project/{client.project}"
        self.headers = {"Authorization": f"Bearer {client.key}", "Content-Type": "application/json"}

    def call(self, method, path, body=None):
        """Makes a request and returns the bytes of the whole response. If it is not a success, ends the program."""
        self.http.request(method, path, json.dumps(body) if body else None, self.headers)
        response = self.http.getresponse()
        answer = response.read()
        if response.status >= 300:
            sys.exit(f"{method} {path}: {response.status} {answer[:300]!r}")
        return answer


def side_by_side(work, threads):
    """Calls `work` with 0 up to `threads`, exclusive, each in its own thread, and waits for all."""
    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def percentile(times, percent):
    return sorted(times)[min(len(times) - 1, len(times) * percent // 100)]
