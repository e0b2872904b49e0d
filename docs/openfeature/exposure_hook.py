import json
import logging
import time
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

from openfeature.hook import Hook


class ExposureHook(Hook):
    """Records an exposure in Muriel whenever a flag puts a visitor into an arm of an experiment.

    `key` has the scope `write`. Requests leave in a thread of their own; `close` waits for them.
    """

    def __init__(self, site, project, key):
        self._url = f"{site}/events/{project}"
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        self._recorded = set()
        self._sender = ThreadPoolExecutor(max_workers=1)

    def after(self, hook_context, details, hints):
        arm = details.flag_metadata
        # What a provider has kept from an earlier evaluation may have changed since: the experiment may have ended.
        if not arm.get("in_experiment") or details.reason == "CACHED":
            return
        visitor = hook_context.evaluation_context.targeting_key
        # Results count a visitor's first exposure; this only saves requests.
        seen = (visitor, arm["test_id"], arm["variant_id"], arm["epoch"])
        if seen in self._recorded:
            return
        if len(self._recorded) == 10_000:
            self._recorded.clear()
        self._recorded.add(seen)
        exposure = {"id": str(uuid.uuid4()), "type": "exposure", "at": datetime.now(timezone.utc).isoformat(),
                    "test_id": arm["test_id"], "variant_id": arm["variant_id"], "epoch": arm["epoch"]}
        self._sender.submit(self._send, json.dumps({"visitor": {"id": visitor}, "events": [exposure]}).encode())

    def close(self):
        self._sender.shutdown(wait=True)

    def _send(self, body):
        for attempt in range(1, 6):
            try:
                # The same id every time, so that an answer that was lost does not count twice.
                urllib.request.urlopen(urllib.request.Request(self._url, body, self._headers), timeout=10).close()
                return
            except OSError as error:
                refused = isinstance(error, urllib.error.HTTPError) and error.code < 500
                if refused or attempt == 5:
                    logging.getLogger(__name__).error("an exposure was not recorded: %s", error)
                    return
                time.sleep(2**attempt)
