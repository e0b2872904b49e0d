"""A local store with the interface of S3: the server of moto."""

import http.client
import os
import subprocess
import sys
import time
from pathlib import Path

import serving

BUCKET = "backups"


class Store:
    """A store on a free port, with an empty bucket. A context manager that stops it."""

    def __init__(self, log):
        self.log = Path(log)

    def __enter__(self):
        port = serving.free_port()
        self.address = f"127.0.0.1:{port}"
        env = os.environ | {"PYTHONPATH": str(Path(os.environ["MURIEL_CACHE"]) / "backup/site")}
        command = ["python3", "-m", "moto.server", "-H", "127.0.0.1", "-p", port]
        with self.log.open("wb") as log:
            self.process = serving.child(command, stdout=log, stderr=subprocess.STDOUT, env=env)
        try:
            self._ready(60)
        except BaseException:
            serving.stop(self.process)
            raise
        return self

    def __exit__(self, *_):
        serving.stop(self.process, 5)

    def _ready(self, patience):
        """Waits until the store responds, and creates the bucket."""
        end = time.monotonic() + patience
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.ask("PUT", f"/{BUCKET}")
                return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"the store did not become ready:\n{self.log.read_text(errors='replace')[-2000:]}")

    def ask(self, method, path):
        connection = http.client.HTTPConnection(self.address, timeout=10)
        try:
            connection.request(method, path)
            return connection.getresponse().read()
        finally:
            connection.close()
